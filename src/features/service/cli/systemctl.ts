import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { visible } from "../../../base/text/visible-text.ts";
import { CommandFailure, EXIT } from "../../../cli/command/exit-codes.ts";
import type { UnitPlace } from "./unit-place.ts";

/** Stopping a service takes as long as its processes take; units of ours give them two minutes, twice. Milliseconds. */
const MAX_WAIT_MS = 300_000;

interface Failure {
  readonly code: string | number | null;
  readonly stderr: string;
}

/** Runs `systemctl`, for the system or this user; resolves with its output. */
export async function systemctl({ isUser, systemctl: typed }: Pick<UnitPlace, "isUser" | "systemctl">, ...args: string[]): Promise<string> {
  try {
    const options = { timeout: MAX_WAIT_MS, env: { ...process.env, SYSTEMD_PAGER: "", LC_ALL: "C.UTF-8" } };
    return (await promisify(execFile)("systemctl", [...(isUser ? ["--user"] : []), ...args], options)).stdout;
  } catch (error) {
    const { code, stderr = "" } = error as Failure;
    if (code === "ENOENT")
      throw new CommandFailure(EXIT.failed, "this machine has no systemctl; with --dry-run mgr prints the unit for another machine");
    const said = visible(stderr.trim().replaceAll("\n", " "));
    throw new CommandFailure(
      EXIT.failed,
      `'${typed} ${args.join(" ")}' failed: ${said === "" ? `it ended with ${code ?? "a time-out"}` : said}${hint(said, isUser)}`,
    );
  }
}

function hint(said: string, isUser: boolean): string {
  if (/not been booted with systemd|connect to (system |user )?bus|\$DBUS_SESSION_BUS_ADDRESS/i.test(said))
    return isUser
      ? "\nsystemd serves a user who is logged in: log in as this user (not with su or sudo), or run: loginctl enable-linger"
      : "\nsystemd does not run on this machine, as in most containers; start the manager with: mgr up --detach";
  if (/access denied|permission denied|authentication/i.test(said))
    return "\nRun the command with sudo, or with --user for a unit of your own.";
  return "";
}
