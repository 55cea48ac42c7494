import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import type { InstanceSettings } from "./definition.ts";

/** Absolute path of the auth file; null: there is none. MGR_WEBUI_AUTH_FILE, relative to the working directory, overrides the setting. */
export function authFilePath(instance: Pick<InstanceSettings, "webui_auth_file">): string | null {
  const named = process.env.MGR_WEBUI_AUTH_FILE;
  return named ? resolve(named) : instance.webui_auth_file;
}

/** Folder of this user's state folders. By the XDG base directory specification, a relative $XDG_STATE_HOME is ignored. */
export function stateHome(): string {
  const configured = process.env.XDG_STATE_HOME;
  const base = configured !== undefined && isAbsolute(configured) ? configured : join(homedir(), ".local", "state");
  return join(base, "mgr");
}
