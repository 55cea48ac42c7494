import { visible } from "../../../base/visible-text.ts";
import { exitText } from "../../../client/handles/exit-text.ts";
import { stillStoppedWith, stoppedAlong } from "../../../client/shown/along.ts";
import { shownState, wordOf } from "../../../client/shown/shown-state.ts";
import type { Process } from "../../../protocol/resources/resources.ts";
import { CommandFailure, EXIT } from "../../command/exit-codes.ts";
import { withManager } from "../../manager/connection.ts";
import type { ConnectionFlags } from "../../manager/connection-target.ts";
import { selectProcesses } from "../../manager/select.ts";
import { namesOf } from "../../manager/selectors.ts";
import { paintState } from "../../output/table.ts";
import { followUntil } from "./follow.ts";

export interface ControlFlags extends ConnectionFlags {
  /** Time limit, seconds. */
  timeout: number;
  /** Whether to wait; false with `--no-wait`. */
  wait: boolean;
}

type Verb = "start" | "stop" | "restart";

/** `mgr start|stop|restart NAME…`: sends the command, then waits until each process has reached the state or failed. */
export async function control(verb: Verb, names: string[], flags: ControlFlags): Promise<void> {
  await withManager(flags, async (client) => {
    const wanted = await namesOf(client, names);
    await client.mirror.current();
    const all = client.mirror.processes();
    const chosen = selectProcesses(all, wanted);
    const chosenNames = chosen.map(({ name }) => name);
    const along = verb === "stop" ? stoppedAlong(chosenNames, all) : [];
    await Promise.all(chosen.map((process) => client.request({ type: `${verb}_process`, name: process.name })));
    if (!flags.wait) return;
    const alongNames = new Set(along.map(({ name }) => name));
    // The manager has accepted the stop: it decides which processes are stopped along.
    const isLeftAlone = ({ name, requested_state }: Process) => alongNames.has(name) && requested_state === "start";
    const before = new Map([...chosen, ...along].map((process) => [process.name, process]));
    const outcome = await followUntil(client, [...before.keys()], {
      done: (all) => all.every((process) => isLeftAlone(process) || settled(verb, process, before.get(process.name))),
      milliseconds: flags.timeout * 1_000,
    });
    for (const process of outcome.processes) if (!isLeftAlone(process)) console.log(outcomeLine(verb, process));
    if (verb === "start") process.stderr.write(stillStoppedHint(stillStoppedWith(chosenNames, client.mirror.processes())));
    if (outcome.timedOut)
      throw new CommandFailure(EXIT.timeout, `time-out after ${flags.timeout} s: not all processes have reached their state`);
    if (outcome.processes.some((process) => isFailure(verb, process))) process.exitCode = EXIT.failed;
  });
}

/** Hint about processes that a stop has stopped along and that a start does not start again, as `on_stop: restart` would. */
export function stillStoppedHint(processes: readonly Process[]): string {
  if (processes.length === 0) return "";
  const names = processes.map(({ name }) => visible(name)).join(" ");
  const sentences = processes.map(
    ({ name, stopped_with }) =>
      `mgr: ${visible(name)} was stopped${stopped_with === null ? "" : ` together with ${visible(stopped_with)}`} and is still stopped.\n`,
  );
  return `${sentences.join("")}     To start them: mgr start ${names}\n`;
}

/** Whether `verb` has finished for this process, successfully or not. */
export function settled(verb: Verb, process: Process, before: Process | undefined): boolean {
  if (verb === "stop") return process.state === "stopped" || process.state === "error";
  const isNewRun = process.start_time !== null && (process.start_time !== before?.start_time || process.pid !== before?.pid);
  if (verb === "restart" && process.pid !== null && !isNewRun) return false;
  switch (process.state) {
    case "started":
      return !process.has_ready_state;
    case "ready":
    case "error":
    case "backoff":
      return true;
    case "stopped":
      // A job that ended successfully meanwhile, or a stop by another user.
      return process.requested_state === "stop" || process.start_time !== before?.start_time;
    default:
      return false;
  }
}

function isFailure(verb: Verb, process: Process): boolean {
  if (process.state === "error" || process.state === "backoff") return true;
  return verb !== "stop" && process.state === "stopped" && process.requested_state === "stop";
}

export function outcomeLine(verb: Verb, process: Process): string {
  const shown = shownState(process);
  return `${visible(process.name)}: ${paintState(shown, wordOf(shown))}${visible(reason(verb, process))}`;
}

function reason(verb: Verb, process: Process): string {
  if (verb === "stop" && process.state === "stopped" && process.stopped_with !== null) return ` (with ${process.stopped_with})`;
  if (!isFailure(verb, process)) return "";
  const text = process.state === "stopped" ? "stopped by another command" : exitText(process);
  return text === "" ? "" : ` (${text})`;
}
