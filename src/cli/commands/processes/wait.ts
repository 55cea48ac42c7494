import { visible } from "../../../base/text/visible-text.ts";
import { exitText } from "../../../client/handles/exit-text.ts";
import { isIn } from "../../../client/handles/process-goals.ts";
import type { Process, ProcessState } from "../../../protocol/resources/resources.ts";
import { CommandFailure, EXIT } from "../../command/exit-codes.ts";
import { withManager } from "../../manager/connection.ts";
import type { ConnectionFlags } from "../../manager/connection-target.ts";
import { selectProcesses } from "../../manager/select.ts";
import { namesOf } from "../../manager/selectors.ts";
import { paintState } from "../../output/table.ts";
import { followUntil } from "./follow.ts";

export interface WaitFlags extends ConnectionFlags {
  for: ProcessState;
  /** Time limit, seconds. */
  timeout: number;
}

/** `mgr wait NAME… --for STATE`: waits until every process is in the state, or one has failed and cannot get there by itself. */
export async function wait(names: string[], flags: WaitFlags): Promise<void> {
  await withManager(flags, async (client) => {
    const wanted = await namesOf(client, names);
    await client.mirror.current();
    const chosen = selectProcesses(client.mirror.processes(), wanted).map(({ name }) => name);
    const isThere = (process: Process) => isIn(process, flags.for);
    const hasFailed = (process: Process) => process.state === "error" && !isThere(process);
    const { processes, timedOut } = await followUntil(client, chosen, {
      done: (all) => all.every(isThere) || all.some(hasFailed),
      milliseconds: flags.timeout * 1_000,
    });
    for (const process of processes) console.log(stateLine(process));
    if (timedOut) throw new CommandFailure(EXIT.timeout, `time-out after ${flags.timeout} s: not all processes are ${flags.for}`);
    if (!processes.every(isThere)) process.exitCode = EXIT.failed;
  });
}

export function stateLine(process: Process): string {
  return `${visible(process.name)}: ${paintState(process.state)}${process.state === "error" ? ` (${visible(exitText(process))})` : ""}`;
}
