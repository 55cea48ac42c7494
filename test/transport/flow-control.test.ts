import { describe, expect, test } from "vitest";
import type { OutputWindow } from "../../src/contract/messages.ts";
import { FAR_BEHIND_BYTES, Outbox } from "../../src/transport/outbox.ts";
import { OutputHub } from "../../src/transport/output/output-hub.ts";
import { ManualClock } from "./manual-clock.ts";

const NO_SKIP = { low_delay_output: false, no_skip_display: true };
const PLAIN = { low_delay_output: false, no_skip_display: false };
const LINE = `${"x".repeat(1_023)}\n`;
const CHUNK = LINE.repeat(64);

/** A hub with one process that writes as far as its window allows, and connections whose sockets take what the test lets them. */
function open() {
  const clock = new ManualClock();
  const windows: OutputWindow[] = [];
  const hub = new OutputHub({ clock, source: { window: (_host, opened) => windows.push(...opened), hostOf: () => "host" } });
  hub.hostReady("host", "s1");
  hub.processAppeared("yes");
  let offset = 0;
  let writable = Number.POSITIVE_INFINITY;
  const output = (text: string) => {
    hub.receive("host", { name: "yes", stream_id: "s1", offset, gap: 0, data: Buffer.from(text) });
    offset += text.length;
  };
  const world = {
    clock,
    hub,
    windows,
    output,
    reader: () => new Reader(hub),
    anchor: () => output(""),
    get written() {
      return offset;
    },
    /** Bytes that the host may send now. */
    get allowed() {
      const window = windows.at(-1);
      return window ? (window.from ?? 0) + window.length - offset : 0;
    },
    /** The program has so much to say, and no more. */
    set left(bytes: number) {
      writable = offset + bytes;
    },
    /** Writes until the window is used up. */
    async flood(between: () => unknown = () => {}): Promise<void> {
      while (world.allowed > 0 && offset < writable) {
        output(CHUNK.slice(0, Math.min(world.allowed, writable - offset)));
        hub.flushAll();
        await between();
      }
    },
  };
  return world;
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

/** The process has written all it may for a reader that reads nothing, beside one that reads everything. */
async function heldBack() {
  const world = open();
  world.hub.setMode("yes", NO_SKIP);
  const [slow, fast] = [world.reader(), world.reader()];
  world.anchor();
  await world.flood(() => fast.takeAll());
  return { world, slow, fast };
}

/** The same without the other. */
async function heldBackAlone() {
  const world = open();
  world.hub.setMode("yes", NO_SKIP);
  const slow = world.reader();
  world.anchor();
  await world.flood();
  return { world, slow };
}

describe("set_process_no_skip_display", () => {
  test("holds the process back while one reader is more than 4 MiB behind, and skips nothing", async () => {
    const { world, slow, fast } = await heldBack();
    expect(world.written).toBeGreaterThan(FAR_BEHIND_BYTES * 0.9);
    expect(world.written).toBeLessThan(FAR_BEHIND_BYTES * 1.3);
    expect(world.windows.every(({ lossless, length }) => lossless === true && length > 0)).toBe(true);
    await slow.takeAll();
    expect(world.allowed).toBeGreaterThan(100_000);
    await world.flood(async () => {
      await Promise.all([fast.takeAll(), slow.takeAll()]);
      if (world.written > 2 * FAR_BEHIND_BYTES) world.left = 0;
    });
    for (const { frames } of [slow, fast]) {
      expect(frames.map(({ output }) => output).join("")).toHaveLength(world.written);
      expect(frames.some(({ skipped }) => skipped !== undefined)).toBe(false);
    }
    world.hub.close();
  });

  test("a reader that does not catch up within 10 s is closed, and the process goes on", async () => {
    const { world, slow, fast } = await heldBack();
    for (let second = 0; second < 10; second++) {
      expect(slow.refused).toEqual([]);
      // The window is repeated, and a little comes: the process does wait.
      world.left = 1_000;
      await world.flood(() => fast.takeAll());
      world.clock.advance(1_000);
    }
    expect(slow.refused).toEqual([expect.stringContaining("'yes' was held back for 10 s")]);
    expect(fast.refused).toEqual([]);
    expect(world.allowed, "it goes on").toBeGreaterThan(100_000);
    world.hub.close();
  });

  test("a reader that no process waits for may be slow", async () => {
    const { world, slow } = await heldBackAlone();
    // It has said all it had to say.
    world.clock.advance(60_000);
    expect(slow.refused).toEqual([]);
    await slow.takeAll();
    expect(slow.frames.map(({ output }) => output).join("")).toHaveLength(world.written);
    world.hub.close();
  });

  test.each([
    ["the reader leaves", (world: ReturnType<typeof open>, slow: Reader) => world.hub.closeSubscription(slow.subscription)],
    ["the flag is turned off", (world: ReturnType<typeof open>) => world.hub.setMode("yes", PLAIN)],
  ])("the process goes on at once when %s", async (_what, act) => {
    const { world, slow } = await heldBack();
    act(world, slow);
    expect(world.allowed).toBeGreaterThan(100_000);
    // No timer is left that would close somebody.
    for (let second = 0; second < 20; second++) {
      world.clock.advance(1_000);
      world.output(LINE);
    }
    expect(slow.refused).toEqual([]);
    world.hub.close();
  });

  test("does not wait for a reader when the process is removed", async () => {
    const { world, slow } = await heldBackAlone();
    world.hub.processGone("yes");
    expect(world.windows.at(-1)).toMatchObject({ name: "yes", length: 0 });
    world.clock.advance(20_000);
    expect(slow.refused).toEqual([]);
    world.hub.close();
  });

  test("is asked for again after the host's next hello, which has let everything go on", async () => {
    const { world } = await heldBackAlone();
    world.windows.length = 0;
    world.hub.hostReady("host", "s1");
    expect(world.windows).toEqual([{ name: "yes", from: world.written, length: expect.any(Number), lossless: true }]);
    expect(world.allowed).toBeLessThan(10_000);
    world.hub.close();
  });

  test("the end of a process that has exited comes whole, however far behind its reader is", async () => {
    const { world, slow } = await heldBackAlone();
    const end = world.written + 5_000_000;
    let isReached = false;
    void world.hub.reached("yes", end, 1_000).then(() => {
      isReached = true;
    });
    world.left = 5_000_000;
    world.clock.advance(400);
    await world.flood();
    await Promise.resolve();
    expect([world.written, isReached]).toEqual([end, true]);
    world.clock.advance(20_000);
    expect(slow.refused).toEqual([]);
    await slow.takeAll();
    expect(slow.frames.map(({ output }) => output).join("")).toHaveLength(end);
    world.hub.close();
  });

  test("without it a slow reader delays no process and learns what it missed", async () => {
    const { hub, windows, output, reader, anchor } = open();
    const slow = reader();
    anchor();
    for (let count = 0; count < 100; count++) {
      output(CHUNK);
      hub.flushAll();
    }
    expect(windows.some(({ lossless }) => lossless)).toBe(false);
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
