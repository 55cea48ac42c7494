import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import type { InstanceSettings } from "./definition.ts";

/** Where the auth file is: MGR_WEBUI_AUTH_FILE, relative to the working directory, wins over the setting. Absolute, null: nowhere. */
export function authFilePath(instance: Pick<InstanceSettings, "webui_auth_file">): string | null {
  const named = process.env.MGR_WEBUI_AUTH_FILE;
  return named ? resolve(named) : instance.webui_auth_file;
}

/** Where the state folders of this user are. The XDG base directory specification: a relative $XDG_STATE_HOME is to be ignored. */
export function stateHome(): string {
  const configured = process.env.XDG_STATE_HOME;
  const base = configured !== undefined && isAbsolute(configured) ? configured : join(homedir(), ".local", "state");
  return join(base, "mgr");
}
