import { until, withTimeout } from "../../../base/timing/wait.ts";
import type { ManagerClient } from "../../../client/manager-client.ts";
import type { Process } from "../../../protocol/resources/resources.ts";
import { CommandFailure, EXIT } from "../../command/exit-codes.ts";
import { whileConnected } from "../../manager/connection.ts";

export interface Outcome {
  readonly processes: readonly Process[];
  readonly timedOut: boolean;
}

/**
 * Resolves when `done` holds for the newest states of the processes with these names, or after `milliseconds`. They have to be in the
 * client's mirror, which misses no change. If one is removed meanwhile, it rejects with exit code 3.
 */
export async function followUntil(
  client: ManagerClient,
  names: readonly string[],
  { done, milliseconds }: { done: (all: readonly Process[]) => boolean; milliseconds: number },
): Promise<Outcome> {
  const { mirror } = client;
  const newest = () =>
    names.map((name) => {
      const process = mirror.process(name);
      if (process === undefined) throw new CommandFailure(EXIT.notFound, `'${name}' was removed from the configuration`);
      return process;
    });
  const subscribe = (check: () => void) => {
    const changes = mirror.changes$.subscribe(check);
    return () => changes.unsubscribe();
  };
  const timeOut = new Error("the time is over");
  const timedOut = await withTimeout(
    whileConnected(client, (ended) => until(() => done(newest()), subscribe, ended)),
    milliseconds,
    () => timeOut,
  ).then(
    () => false,
    (error: unknown) => {
      if (error !== timeOut) throw error;
      return true;
    },
  );
  return { processes: newest(), timedOut };
}
