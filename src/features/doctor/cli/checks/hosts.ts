import { MgrError } from "../../../../base/errors.ts";
import { CommandFailure } from "../../../../cli/command/exit-codes.ts";
import { withManager } from "../../../../cli/manager/connection.ts";
import type { ConnectionFlags } from "../../../../cli/manager/connection-target.ts";
import { VERSION } from "../../../../http/package-files.ts";
import type { HostEntry } from "../../../../protocol/resources/resources.ts";
import { error, type Finding, ok, warning } from "../finding.ts";

/** The daemons of the running manager: whether they are connected, and of which version they are. */
export async function hostFindings(flags: ConnectionFlags): Promise<Finding[]> {
  try {
    return await withManager(flags, async (client) => (await client.snapshot()).host_list.map((host) => hostFinding(host)));
  } catch (cause) {
    if (!(cause instanceof MgrError || cause instanceof CommandFailure)) throw cause;
    return [error("hosts", `the manager does not answer: ${cause.message}`, "see its log, manager.log in the state folder")];
  }
}

/** `own`: the version of this program. */
export function hostFinding(
  { name, state, version, problem }: Pick<HostEntry, "name" | "state" | "version" | "problem">,
  own = VERSION,
): Finding {
  const check = `host ${name}`;
  if (problem !== null) return error(check, problem, "start a daemon that the manager accepts: docs/multi-host.md");
  if (state !== "ready")
    return warning(check, `its daemon is not connected (${state})`, "start it, and check the link: docs/multi-host.md");
  if (version !== null && version !== own)
    return warning(
      check,
      `its daemon has version ${version}, this program ${own}`,
      "install the same version there, and restart the daemon",
    );
  return ok(check, `connected, version ${version ?? "unknown"}`);
}
