import { afterAll, beforeAll, expect, test } from "vitest";
import type { Client, ProcessView } from "../support/client.ts";
import { Instance } from "../support/instance.ts";
import { eventually } from "../support/wait.ts";
import { Viewer } from "./rfb.ts";

// Both options are Xvnc's own: the test waits for the end that they bring, however long that takes.

const DISPLAY = "displays/ada";

let instance: Instance;
let client: Client;

beforeAll(async () => {
  instance = await Instance.up({ displays: { stop_after_disconnect: "2s" }, processes: {} });
  client = await instance.connect();
});
afterAll(() => instance?.[Symbol.asyncDispose]());

const info = async () => (await instance.fetch("/mgr/vnc/info")).json() as Promise<{ ok: boolean; ready: boolean }>;
/** It has ended by itself, and not for a failure: nothing starts it again. Its first upsert is of one that has not run yet. */
const untilEnded = (from: number) =>
  client.until(
    "the end of the display",
    ({ type, process }) => {
      const { name, state, requested_state, exit } = (process ?? {}) as Partial<ProcessView>;
      return type === "process_upsert" && name === DISPLAY && state === "stopped" && requested_state === "start" && exit?.code === 0;
    },
    from,
  );

test("a display without viewers ends after stop_after_disconnect, and starts again on request", async () => {
  for (const _ of [1, 2]) {
    const from = client.here;
    expect(await info()).toMatchObject({ ok: true, ready: false });
    await untilEnded(from);
    expect((await client.snapshot()).web_x_display).toMatchObject({ known: true, running: false, ready: false });
  }
});

test("a display without input ends after stop_after_idle, also under a viewer", async () => {
  instance.write({ displays: { stop_after_idle: "5s" }, processes: {} });
  await client.ask({ type: "reload_config" });
  // One with the other option may still run.
  await client.ask({ type: "stop_process", name: DISPLAY });
  const from = client.here;
  // A slow machine may need the whole time until it is ready: then there is no viewer to be disconnected.
  const viewer = await eventually("a viewer", () =>
    info().then(({ ready }) => (ready ? Viewer.open(instance.url, instance.basic).catch(() => null) : null)),
  );
  expect([1_000, 1_011]).toContain((await viewer.closed).code);
  await untilEnded(from);
});
