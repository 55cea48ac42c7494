import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

/** Where the state folders of this user are. The XDG base directory specification: a relative $XDG_STATE_HOME is to be ignored. */
export function stateHome(): string {
  const configured = process.env.XDG_STATE_HOME;
  const base = configured !== undefined && isAbsolute(configured) ? configured : join(homedir(), ".local", "state");
  return join(base, "mgr");
}
