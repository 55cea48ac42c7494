import type { ManagerClient } from "../../client/index.ts";
import type { Process } from "../../protocol/resources.ts";
import { type ConnectionFlags, connectManager } from "../connection.ts";
import { CommandFailure, EXIT } from "../exit-codes.ts";
import { selectProcesses } from "../select.ts";
import { paintState } from "../table.ts";

export interface ControlFlags extends ConnectionFlags {
  /** Seconds. */
  timeout: number;
  /** False with `--no-wait`. */
  wait: boolean;
}

type Verb = "start" | "stop" | "restart";

/** `mgr start|stop|restart NAME…`: asks for it, then waits until each process got there or failed. */
export async function control(verb: Verb, names: string[], flags: ControlFlags): Promise<void> {
  const client = await connectManager(flags);
  try {
    const snapshot = await client.snapshot();
    const chosen = selectProcesses(snapshot.processes, names);
    const newest = follow(client, chosen);
    await Promise.all(chosen.map((process) => client.request({ type: `${verb}_process`, name: process.name })));
    if (!flags.wait) return;
    const before = new Map(chosen.map((process) => [process.name, process]));
    const outcome = await newest.until((process) => settled(verb, process, before.get(process.name)), flags.timeout * 1_000);
    for (const process of outcome.processes) console.log(`${process.name}: ${paintState(process.state)}${reason(process)}`);
    if (outcome.timedOut) throw new CommandFailure(EXIT.timeout, `not everything got there within ${flags.timeout} s`);
    if (outcome.processes.some((process) => process.state === "error" || process.state === "backoff")) process.exitCode = EXIT.failed;
  } finally {
    client.close();
  }
}

/** Whether `verb` has come to its end for this process, well or badly. */
function settled(verb: Verb, process: Process, before: Process | undefined): boolean {
  if (verb === "stop") return process.state === "stopped" || process.state === "error";
  if (verb === "restart" && process.pid !== null && process.pid === before?.pid) return false;
  if (process.state === "started") return !process.has_ready_state;
  // A job that ended well while we waited is `stopped` with a run newer than the one before.
  const ranSince = process.start_time !== null && process.start_time !== before?.start_time;
  return process.state === "ready" || process.state === "error" || process.state === "backoff" || (process.state === "stopped" && ranSince);
}

function reason(process: Process): string {
  if (process.state !== "error" && process.state !== "backoff") return "";
  if (process.exit === null) return "";
  return ` (${process.exit.reason ?? (process.exit.signal === null ? `exit code ${process.exit.code}` : `ended by ${process.exit.signal}`)})`;
}

/** Keeps the newest state of `chosen` from the moment of the call. */
function follow(client: ManagerClient, chosen: Process[]) {
  const newest = new Map(chosen.map((process) => [process.name, process]));
  let changed = () => {};
  client.frames$.subscribe((frame) => {
    if (frame.type !== "process_upsert" || !newest.has(frame.process.name)) return;
    newest.set(frame.process.name, frame.process);
    changed();
  });
  return {
    until(done: (process: Process) => boolean, milliseconds: number): Promise<{ processes: Process[]; timedOut: boolean }> {
      return new Promise((resolve) => {
        const finish = (timedOut: boolean) => {
          clearTimeout(timer);
          resolve({ processes: [...newest.values()], timedOut });
        };
        const timer = setTimeout(() => finish(true), milliseconds);
        changed = () => {
          if ([...newest.values()].every(done)) finish(false);
        };
        changed();
      });
    },
  };
}
