import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Filler } from "../../../../src/features/store-forward/host/filler.ts";
import { SampleStore } from "../../../../src/features/store-forward/host/sample-store.ts";
import { SimulatedClock } from "../../../../src/testing/simulated-clock.ts";
import { until } from "../../../bus/leaf/leaf-rig.ts";

it("says why samples wait: the link, a subscriber, its confirmation, the share of the link", async () => {
  const folder = mkdtempSync(join(tmpdir(), "mgr-filler-"));
  const clock = new SimulatedClock();
  const store = new SampleStore({ folder, now: () => 0n, log: () => {} });
  store.limits = { maxBytes: 1e9, maxAgeMs: 1e9 };
  let isWanted = false;
  /** Subjects on which sent windows are confirmed. */
  const replies: string[] = [];
  let answer = (_subject: string) => {};
  const port = {
    subscribe: (_subject: string, receive: (message: { subject: string; data: Uint8Array }) => void) => {
      answer = (subject) => receive({ subject, data: Buffer.from("") });
      return () => {};
    },
    isWantedOverLinks: () => isWanted,
    sendOverLinks: (_subject: string, _bytes: Buffer, { reply }: { reply: string | null }) => {
      if (reply !== null) replies.push(reply);
      return true;
    },
  };
  const filler = new Filler({ port, store, clock, log: () => {} });
  // A window of 16 KiB is followed by a pause of a minute or more, which is cut to the longest one.
  filler.rate = { share: 0.5, bandwidth: 512 };
  try {
    for (let count = 0; count < 3; count++)
      store.append("arm/state", { received: 0n, headers: Buffer.alloc(0), payload: Buffer.alloc(10_000) });
    const [log] = store.logs;
    if (log === undefined) throw new Error("there is no log");
    const state = () => filler.waitOf(log);
    expect(state()).toEqual({ state: "link_cut", wait_ms: null });

    filler.begin();
    expect(state()).toEqual({ state: "no_subscriber", wait_ms: null });

    isWanted = true;
    expect(state()).toEqual({ state: "sending", wait_ms: null });
    await clock.advance(500);
    await until(() => replies.length === 1);
    await clock.advance(10_000);
    expect(state()).toEqual({ state: "unconfirmed", wait_ms: 1_000 });

    await clock.advance(1_000);
    await until(() => replies.length === 2);
    answer(replies[1] ?? "");
    await until(() => log.sent > 0);
    expect(log).toMatchObject({ sent: 1, count: 2 });
    await until(() => state().state === "share_used");
    expect(state().wait_ms).toBe(30_000);

    await clock.advance(30_000);
    await until(() => replies.length === 3);
    expect(state()).toEqual({ state: "sending", wait_ms: null });
    filler.end();
    expect(state()).toEqual({ state: "link_cut", wait_ms: null });
    log.drop(3);
    expect(state()).toEqual({ state: "empty", wait_ms: null });
    expect(log).toMatchObject({ sent: 1, dropped: 2, oldest: null });
  } finally {
    filler.close();
    await store.flush();
    rmSync(folder, { recursive: true });
  }
});
