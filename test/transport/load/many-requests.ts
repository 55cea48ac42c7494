import { expect } from "vitest";
import type { Client, startRig } from "../rig.ts";

/** Helpers for tests of many requests on one connection, of the core and of features. */

/** Work of a fake that ends when the test says so. */
export function held<T>(result: T) {
  const ends: (() => void)[] = [];
  return {
    get begun() {
      return ends.length;
    },
    begin: () => new Promise<T>((resolve) => ends.push(() => resolve(result))),
    end: (index = 0) => ends[index]?.(),
    endAll: () => {
      for (const end of ends) end();
    },
  };
}

/** The request ids of the answers so far, in their order. */
export const answered = (client: Client): string[] =>
  client.frames.filter(({ request_id }) => request_id !== undefined).map(({ request_id }) => String(request_id));

/** Everything that was sent before has been handled. */
export const handled = (client: Client) => client.ask({ type: "get_snapshot" });

/** Each of the frames and of some of the core is answered, and output and events arrive, while a process 'db' of the rig is stopped. */
export async function expectUnhindered(
  rig: Awaited<ReturnType<typeof startRig>>,
  client: Client,
  frames: readonly { readonly type: string; readonly [field: string]: unknown }[],
): Promise<void> {
  for (const frame of [
    { type: "get_process_output", name: "db" },
    { type: "get_snapshot" },
    ...frames,
    { type: "stop_process", name: "db" },
    { type: "subscribe_process_output", patterns: ["db"] },
  ])
    expect(await client.ask(frame), frame.type).not.toMatchObject({ type: "error" });
  rig.output("db", 0, "hello");
  rig.control.update("db", { state: "started" });
  expect(await client.nextOf("process_output")).toMatchObject({ output: "hello" });
  expect(await client.nextOf("process_upsert")).toMatchObject({ process: { state: "started" } });
}
