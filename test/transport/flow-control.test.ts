import { describe, expect, test } from "vitest";
import { FAR_BEHIND_BYTES, Outbox } from "../../src/transport/outbox.ts";
import { OutputHub } from "../../src/transport/output-hub.ts";
import { ManualClock } from "./manual-clock.ts";

const NO_SKIP = { low_delay_output: false, no_skip_display: true };
const PLAIN = { low_delay_output: false, no_skip_display: false };
const LINE = `${"x".repeat(1_023)}\n`;
const CHUNK = LINE.repeat(64);

/** A hub with one process, and connections whose sockets take what the test lets them. */
function open() {
  const clock = new ManualClock();
  const holds: string[] = [];
  const hub = new OutputHub({
    clock,
    source: { window() {}, hold: (_host, name, held) => holds.push(`${name} ${held ? "held" : "goes on"}`), hostOf: () => "host" },
  });
  hub.hostReady("host", "s1");
  hub.processAppeared("yes");
  let offset = 0;
  const output = (text: string) => {
    hub.receive("host", { name: "yes", stream_id: "s1", offset, gap: 0, data: Buffer.from(text) });
    offset += text.length;
  };
  return { clock, hub, holds, output, reader: () => new Reader(hub), anchor: () => output("") };
}

class Reader {
  readonly texts: string[] = [];
  readonly refused: string[] = [];
  readonly #taken: (() => void)[] = [];
  readonly outbox: Outbox;
  readonly subscription: ReturnType<OutputHub["open"]>;

  constructor(hub: OutputHub) {
    this.outbox = new Outbox(
      {
        send: (data, _options, done) => {
          this.texts.push(String(data));
          this.#taken.push(() => done());
        },
        bufferedAmount: 1,
        cork() {},
        uncork() {},
      },
      {
        congested() {},
        progress() {},
        drained() {},
        hasRoom: () => hub.hasRoom(this.subscription),
        overflow: () => this.refused.push("overflow"),
        tooSlow: (reason) => {
          this.refused.push(reason);
          hub.closeSubscription(this.subscription);
        },
      },
    );
    this.subscription = hub.open({ sink: this.outbox, contains: () => true, everything: false });
    void hub.subscribe(this.subscription, ["yes"]);
  }

  /** The network takes everything that waits. */
  async takeAll(): Promise<void> {
    for (let idle = 0; idle < 3; ) {
      await Promise.resolve();
      const next = this.#taken.shift();
      if (next) next();
      else idle++;
    }
  }

  get frames(): { output: string; skipped?: number }[] {
    return this.texts.map((text) => JSON.parse(text) as { output: string; skipped?: number });
  }
}

describe("set_process_no_skip_display", () => {
  test("holds the process back while one reader is more than 4 MiB behind, and skips nothing", async () => {
    const { hub, holds, output, reader, anchor } = open();
    hub.setMode("yes", NO_SKIP);
    const slow = reader();
    const fast = reader();
    anchor();
    let sent = 0;
    while (holds.length === 0) {
      output(CHUNK);
      sent += CHUNK.length;
      hub.flushAll();
      await fast.takeAll();
      expect(sent).toBeLessThan(2 * FAR_BEHIND_BYTES);
    }
    expect(holds).toEqual(["yes held"]);
    expect(sent).toBeGreaterThan(FAR_BEHIND_BYTES * 0.9);
    await slow.takeAll();
    expect(holds).toEqual(["yes held", "yes goes on"]);
    for (const { frames } of [slow, fast]) {
      expect(frames.map(({ output }) => output).join("")).toHaveLength(sent);
      expect(frames.some(({ skipped }) => skipped !== undefined)).toBe(false);
    }
    hub.close();
  });

  test("a reader that does not catch up within 10 s is closed, and the process goes on", () => {
    const { clock, hub, holds, output, reader, anchor } = open();
    hub.setMode("yes", NO_SKIP);
    const slow = reader();
    reader();
    anchor();
    while (holds.length === 0) {
      output(CHUNK);
      hub.flushAll();
    }
    clock.advance(9_999);
    expect(slow.refused).toEqual([]);
    clock.advance(1);
    expect(slow.refused).toEqual([expect.stringContaining("'yes' was held back for 10 s")]);
    expect(holds).toEqual(["yes held", "yes goes on"]);
    hub.close();
  });

  test.each([
    ["the reader leaves", (world: ReturnType<typeof open>, slow: Reader) => world.hub.closeSubscription(slow.subscription)],
    ["the flag is turned off", (world: ReturnType<typeof open>) => world.hub.setMode("yes", PLAIN)],
    ["the process goes", (world: ReturnType<typeof open>) => world.hub.processGone("yes")],
  ])("the process goes on at once when %s", (_what, act) => {
    const world = open();
    world.hub.setMode("yes", NO_SKIP);
    const slow = world.reader();
    world.anchor();
    while (world.holds.length === 0) {
      world.output(CHUNK);
      world.hub.flushAll();
    }
    act(world, slow);
    expect(world.holds).toEqual(["yes held", "yes goes on"]);
    // No timer is left that would close somebody.
    world.clock.advance(20_000);
    expect(slow.refused).toEqual([]);
    world.hub.close();
  });

  test("is asked for again after the host's next hello, which has let everything go on", () => {
    const { hub, holds, output, reader, anchor } = open();
    hub.setMode("yes", NO_SKIP);
    reader();
    anchor();
    while (holds.length === 0) {
      output(CHUNK);
      hub.flushAll();
    }
    hub.hostReady("host", "s1");
    expect(holds).toEqual(["yes held", "yes held"]);
    hub.close();
  });

  test("without it a slow reader holds up nobody and is told what it missed", async () => {
    const { hub, holds, output, reader, anchor } = open();
    const slow = reader();
    anchor();
    for (let count = 0; count < 100; count++) {
      output(CHUNK);
      hub.flushAll();
    }
    expect(holds).toEqual([]);
    await slow.takeAll();
    expect(slow.frames.some(({ skipped = 0 }) => skipped > 0)).toBe(true);
    hub.close();
  });
});

describe("set_process_low_delay_output", () => {
  test("sends each read at once; without it what comes close together is joined", async () => {
    const { clock, hub, output, reader, anchor } = open();
    const fast = reader();
    anchor();
    for (const text of ["a", "b", "c"]) output(text);
    clock.advance(20);
    await fast.takeAll();
    expect(fast.frames.map(({ output }) => output)).toEqual(["a", "bc"]);
    hub.setMode("yes", { ...PLAIN, low_delay_output: true });
    for (const text of ["d", "e", "f"]) output(text);
    await fast.takeAll();
    expect(fast.frames.map(({ output }) => output)).toEqual(["a", "bc", "d", "e", "f"]);
    hub.close();
  });
});
