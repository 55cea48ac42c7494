import type { ManagerClient } from "../client/index.ts";
import type { Process } from "../protocol/resources.ts";
import { whileConnected } from "./connection.ts";

/** Keeps the newest state of `chosen` from the moment of the call. */
export function follow(client: ManagerClient, chosen: readonly Process[]) {
  const newest = new Map(chosen.map((process) => [process.name, process]));
  let changed = () => {};
  client.frames$.subscribe((frame) => {
    if (frame.type === "process_remove") newest.delete(frame.name);
    else if (frame.type === "process_upsert" && newest.has(frame.process.name)) newest.set(frame.process.name, frame.process);
    else return;
    changed();
  });
  return {
    /** Resolves when `done` holds for all that are left, or after `milliseconds`. */
    async until(done: (all: readonly Process[]) => boolean, milliseconds: number): Promise<{ processes: Process[]; timedOut: boolean }> {
      let timedOut = false;
      let timer: ReturnType<typeof setTimeout> | undefined;
      const waiting = whileConnected(client, (stop) => {
        timer = setTimeout(() => {
          timedOut = true;
          stop();
        }, milliseconds);
        changed = () => {
          if (done([...newest.values()])) stop();
        };
        changed();
      });
      await waiting.finally(() => clearTimeout(timer));
      return { processes: [...newest.values()], timedOut };
    },
  };
}
