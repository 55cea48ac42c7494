import { resolve } from "node:path";
import type { InstanceSettings } from "./definition.ts";

/** Where the auth file is: MGR_WEBUI_AUTH_FILE, relative to the working directory, wins over the setting. Absolute, null: nowhere. */
export function authFilePath(instance: Pick<InstanceSettings, "webui_auth_file">): string | null {
  const named = process.env.MGR_WEBUI_AUTH_FILE;
  return named ? resolve(named) : instance.webui_auth_file;
}
