import { visible } from "../../../base/text/visible-text.ts";
import { stillStoppedWith, stoppedAlong } from "../../../client/shown/along.ts";
import type { Process } from "../../../protocol/resources/resources.ts";
import { CommandFailure, EXIT } from "../../command/exit-codes.ts";
import type { RestartWay } from "../../command/feature.ts";
import { withManager } from "../../manager/connection.ts";
import type { ConnectionFlags } from "../../manager/connection-target.ts";
import { selectProcesses } from "../../manager/select.ts";
import { namesOf } from "../../manager/selectors.ts";
import { followUntil } from "./follow.ts";
import { isFailure, outcomeLine, settled, type Verb } from "./outcome.ts";

export interface ControlFlags extends ConnectionFlags {
  /** Time limit, seconds. */
  timeout: number;
  /** Whether to wait; false with `--no-wait`. */
  wait: boolean;
  /** Options of features: whether they are given. */
  [option: string]: unknown;
}

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

/** `mgr restart` in another way, that of a feature. */
export async function restartBy(way: RestartWay, words: string[], flags: ControlFlags): Promise<void> {
  await withManager(flags, async (client) => {
    const wanted = await namesOf(client, words);
    const { processes } = await client.snapshot();
    const names = selectProcesses(processes, wanted).map(({ name }) => name);
    await way.restart(client, names, flags);
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
