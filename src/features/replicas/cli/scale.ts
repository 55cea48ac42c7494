import { isWithin } from "../../../base/text/names.ts";
import { didYouMean } from "../../../base/text/suggest.ts";
import { visible } from "../../../base/text/visible-text.ts";
import { until, withTimeout } from "../../../base/timing/wait.ts";
import { CommandFailure, EXIT } from "../../../cli/command/exit-codes.ts";
import { isFailure, outcomeLine, settled } from "../../../cli/commands/processes/outcome.ts";
import { whileConnected, withManager } from "../../../cli/manager/connection.ts";
import type { ConnectionFlags } from "../../../cli/manager/connection-target.ts";
import type { ManagerClient } from "../../../client/manager-client.ts";
import type { Process } from "../../../protocol/resources/resources.ts";
import { MAX_REPLICAS, replicaName } from "../replica-names.ts";
import type { ReplicaSet } from "../wire.ts";

interface ScaleFlags extends ConnectionFlags {
  readonly wait: boolean;
  /** Seconds. */
  readonly timeout: number;
}

interface Change {
  readonly name: string;
  readonly before: number;
  readonly count: number;
}

/** `mgr scale NAME=COUNT…`: all are checked before the first one is changed. */
export async function scale(words: string[], flags: ScaleFlags): Promise<void> {
  await withManager(flags, async (client) => {
    const { replicas } = await client.snapshot();
    await client.mirror.known();
    const changes = words.map((word) => changeOf(word, replicas));
    for (const { name, count } of changes) await client.request({ type: "scale_process", name, count });
    for (const change of changes) console.log(changeLine(change));
    if (flags.wait) await follow(client, changes, flags.timeout);
  });
}

export const changeLine = ({ name, before, count }: Change): string => `${visible(name)}: ${before} → ${count}`;

/** Throws CommandFailure for a word that is no NAME=COUNT, or names no process with replicas. */
export function changeOf(word: string, sets: readonly ReplicaSet[]): Change {
  const cut = word.lastIndexOf("=");
  const count = Number(word.slice(cut + 1));
  if (cut < 1 || !/^\d+$/.test(word.slice(cut + 1)) || count < 1 || count > MAX_REPLICAS)
    throw new CommandFailure(EXIT.usage, `'${word}' must be NAME=COUNT with a whole number from 1 to ${MAX_REPLICAS}, such as worker=5`);
  const name = word.slice(0, cut);
  const set = sets.find((each) => each.name === name);
  if (set !== undefined) return { name, before: set.count, count };
  const known = sets.map((each) => each.name);
  const hint =
    didYouMean(name, known) ||
    (known.length === 0 ? "; no process has 'replicas' in the configuration" : `; there are ${known.join(", ")}`);
  throw new CommandFailure(EXIT.notFound, `there is no process '${name}' with replicas${hint}`);
}

/** Waits until the new replicas are ready or have failed, and those that are not needed any more are gone. */
async function follow(client: ManagerClient, changes: readonly Change[], timeout: number): Promise<void> {
  const { mirror } = client;
  const added = changes.flatMap(({ name, before, count }) =>
    Array.from({ length: Math.max(0, count - before) }, (_, at) => replicaName(name, before + at + 1)),
  );
  const present = () => added.flatMap((name) => mirror.process(name) ?? []);
  const isDone = ({ name, count }: Change) => mirror.processes().filter((each) => isWithin(each.name, name)).length === count;
  const isSettled = (process: Process) => process.requested_state === "stop" || settled("start", process, undefined);
  const subscribe = (check: () => void) => {
    const changed = mirror.changes$.subscribe(check);
    return () => changed.unsubscribe();
  };
  await withTimeout(
    whileConnected(client, (ended) => until(() => changes.every(isDone) && present().every(isSettled), subscribe, ended)),
    timeout * 1_000,
    () => new CommandFailure(EXIT.timeout, `time-out after ${timeout} s: not all replicas are ready or gone`),
  );
  for (const process of present()) console.log(outcomeLine("start", process));
  if (present().some((each) => each.requested_state === "start" && isFailure("start", each))) process.exitCode = EXIT.failed;
}
