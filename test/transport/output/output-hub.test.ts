import { beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../../src/base/timing/clock.ts";
import type { OutputChunk, OutputWindow } from "../../../src/contract/messages.ts";
import { OutputHub } from "../../../src/transport/output/output-hub.ts";
import type { OutputPiece } from "../../../src/transport/output/output-piece.ts";
import { ManualClock } from "../manual-clock.ts";

const HOST = "h";
/** How far ahead the host may send. */
const WINDOW = 1024 * 1024;

let clock: ManualClock;
let windows: OutputWindow[];
let hub: OutputHub;

beforeEach(() => {
  clock = new ManualClock();
  windows = [];
  hub = new OutputHub({ clock, source: { window: (_host, list) => windows.push(...list), hostOf: () => HOST } });
});

function listener(options: { everything?: boolean; contains?: (name: string) => boolean } = {}) {
  const pieces: OutputPiece[] = [];
  const subscription = hub.open({
    sink: { output: (piece) => pieces.push(piece) },
    contains: options.contains ?? (() => true),
    everything: options.everything ?? false,
  });
  return { pieces, subscription, text: () => pieces.map((piece) => piece.text).join("") };
}

function send(name: string, offset: number, text: string | Uint8Array, stream_id = "s1"): void {
  hub.receive(HOST, { name, stream_id, offset, gap: 0, data: Buffer.from(text) } satisfies OutputChunk);
}

const anchor = (name: string, offset: number) => send(name, offset, "");

describe("windows", () => {
  it("a process's bytes are requested only while there is a subscriber", () => {
    const { subscription } = listener();
    hub.processAppeared("a");
    expect(windows).toEqual([]);
    hub.subscribe(subscription, ["a"]);
    expect(windows).toEqual([{ name: "a", from: null, length: WINDOW }]);
    anchor("a", 7);
    hub.unsubscribe(subscription, ["a"]);
    expect(windows.at(-1)).toEqual({ name: "a", from: 7, length: 0 });
    expect(clock.pendingTimers).toBe(0);
  });

  it("the window moves on when an eighth of it is used, and is repeated each second", () => {
    const { subscription } = listener();
    hub.processAppeared("a");
    hub.subscribe(subscription, ["a"]);
    anchor("a", 100);
    windows.length = 0;
    const chunk = new Uint8Array(64 * 1024).fill(0x61);
    send("a", 100, chunk);
    expect(windows).toEqual([]);
    send("a", 100 + chunk.length, chunk);
    expect(windows).toEqual([{ name: "a", from: 100 + WINDOW / 8, length: WINDOW, moved: true }]);
    clock.advance(1_000);
    expect(windows).toHaveLength(2);
  });

  it("what is under way is not asked for again, unless nothing comes of it for a second", () => {
    const { subscription } = listener();
    hub.processAppeared("a");
    hub.subscribe(subscription, ["a"]);
    anchor("a", 0);
    windows.length = 0;
    send("a", 0, "one");
    clock.advance(1_000);
    expect(windows.splice(0)).toEqual([{ name: "a", from: 3, length: WINDOW, moved: true }]);
    clock.advance(1_000);
    expect(windows.splice(0)).toEqual([{ name: "a", from: 3, length: WINDOW }]);
    send("a", 3, "two");
    clock.advance(1_000);
    expect(windows).toEqual([{ name: "a", from: 6, length: WINDOW, moved: true }]);
  });

  it("one message to a host carries at most 512 windows", () => {
    const messages: number[] = [];
    hub = new OutputHub({ clock, source: { window: (_host, list) => messages.push(list.length), hostOf: () => HOST } });
    for (let index = 0; index < 1_200; index++) hub.processAppeared(`p${index}`);
    const { subscription } = listener();
    hub.subscribe(subscription, ["*"]);
    expect(messages).toEqual([512, 512, 176]);
    hub.closeSubscription(subscription);
    expect(messages).toEqual([512, 512, 176, 512, 512, 176]);
  });

  it("a lost chunk is asked for again, once, and nothing is delivered out of order", () => {
    const { subscription, text } = listener();
    hub.processAppeared("a");
    hub.subscribe(subscription, ["a"]);
    anchor("a", 0);
    send("a", 0, "one ");
    windows.length = 0;
    send("a", 8, "three ");
    send("a", 14, "four");
    expect(windows).toEqual([{ name: "a", from: 4, length: WINDOW }]);
    send("a", 4, "two three four");
    hub.flush("a");
    expect(text()).toBe("one two three four");
  });

  it("a daemon that came back with the same stream is asked to go on where it stopped", () => {
    const { subscription } = listener();
    hub.hostReady(HOST, "s1");
    hub.processAppeared("a");
    hub.subscribe(subscription, ["a"]);
    anchor("a", 0);
    send("a", 0, "before");
    windows.length = 0;
    hub.hostReady(HOST, "s1");
    expect(windows).toEqual([{ name: "a", from: 6, length: WINDOW }]);
  });

  it("a new daemon's output is read from its first byte, and late chunks of the old one are dropped", () => {
    const { subscription, pieces } = listener();
    hub.hostReady(HOST, "s1");
    hub.processAppeared("a");
    hub.subscribe(subscription, ["a"]);
    anchor("a", 500);
    send("a", 500, "old");
    windows.length = 0;
    hub.hostReady(HOST, "s2");
    expect(windows).toEqual([{ name: "a", from: 0, length: WINDOW }]);
    send("a", 503, "late", "s1");
    send("a", 0, "new", "s2");
    hub.flush("a");
    expect(pieces.map((piece) => [piece.text, piece.offset, piece.streamId])).toEqual([
      ["old", 503, "s1"],
      ["new", 3, "s2"],
    ]);
  });

  it("output of a process that is subscribed before it ever ran is complete from its first byte", () => {
    const { subscription, text } = listener();
    hub.subscribe(subscription, ["later"]);
    hub.processAppeared("later");
    anchor("later", 0);
    send("later", 0, "first");
    expect(text()).toBe("first");
  });
});

describe("readers that are full", () => {
  function reader(names: string[]) {
    const pieces: OutputPiece[] = [];
    const sink = { isFull: false, room: WINDOW, output: (piece: OutputPiece) => void pieces.push(piece) };
    const subscription = hub.open({ sink, contains: () => true, everything: false });
    hub.subscribe(subscription, names);
    const empty = () => {
      sink.isFull = false;
      hub.hasRoom(subscription);
    };
    return { pieces, sink, subscription, empty };
  }
  const chunk = new Uint8Array(64 * 1024).fill(0x61);
  /** Uses the window of `a` up as far as it has to be moved. */
  function useUp(from: number): number {
    send("a", from, chunk);
    send("a", from + chunk.length, chunk);
    return from + 2 * chunk.length;
  }
  const open = (from: number) => ({ name: "a", from, length: WINDOW });
  const move = (from: number) => ({ ...open(from), moved: true });

  beforeEach(() => {
    hub.processAppeared("a");
  });

  it("hold the window while all of them are, also when windows are repeated, and go on where they were", () => {
    const [one, other] = [reader(["a"]), reader(["a"])];
    anchor("a", 0);
    windows.length = 0;
    one.sink.isFull = true;
    const position = useUp(0);
    expect(windows).toEqual([move(position)]);
    other.sink.isFull = true;
    const held = useUp(position);
    clock.advance(5_000);
    expect(windows).toEqual([move(position)]);
    one.empty();
    expect(windows).toEqual([move(position), move(held)]);
  });

  it("are asked for no more than the one of them with the most room can take", () => {
    const [one, other] = [reader(["a"]), reader(["a"])];
    anchor("a", 0);
    windows.length = 0;
    one.sink.room = 300_000;
    other.sink.room = 200_000;
    const position = useUp(0);
    expect(windows).toEqual([{ name: "a", from: position, length: 300_000, moved: true }]);
  });

  it("do not delay a new subscriber, nor for long the wait for the end of the output", async () => {
    const { sink } = reader(["a"]);
    anchor("a", 0);
    sink.isFull = true;
    windows.length = 0;
    let position = useUp(0);
    expect(windows).toEqual([]);
    const reached = hub.reached("a", position + 4, 1_000);
    expect(windows).toEqual([]);
    clock.advance(200);
    expect(windows).toEqual([open(position)]);
    send("a", position, "last");
    await reached;
    windows.length = 0;
    position = useUp(position + 4);
    expect(windows).toEqual([]);
    reader(["a"]);
    expect(windows).toEqual([move(position)]);
  });

  it("go on at a line start after what the ring has lost meanwhile", () => {
    const { pieces, sink, empty } = reader(["a"]);
    anchor("a", 0);
    sink.isFull = true;
    const position = useUp(0);
    empty();
    hub.receive(HOST, { name: "a", stream_id: "s1", offset: position, gap: 100, data: new Uint8Array(0) });
    send("a", position + 100, "rest of a line\nnext");
    hub.flush("a");
    expect(pieces.at(-1)).toMatchObject({ text: "next", skipped: 115, offset: position + 119 });
  });

  it("are forgotten with their process and their subscription", () => {
    const { sink, subscription, empty } = reader(["a"]);
    anchor("a", 0);
    sink.isFull = true;
    const position = useUp(0);
    hub.unsubscribe(subscription, ["a"]);
    expect(windows.at(-1)).toEqual({ name: "a", from: position, length: 0 });
    windows.length = 0;
    empty();
    clock.advance(5_000);
    expect(windows).toEqual([]);
  });
});

describe("joining", () => {
  it("the first bytes after quiet are sent at once, the rest within 16 ms in one frame", () => {
    const { subscription, pieces } = listener();
    hub.processAppeared("a");
    hub.subscribe(subscription, ["a"]);
    anchor("a", 0);
    send("a", 0, "k");
    expect(pieces).toHaveLength(1);
    clock.advance(6);
    send("a", 1, "e");
    clock.advance(6);
    send("a", 2, "y");
    expect(pieces).toHaveLength(1);
    clock.advance(4);
    expect(pieces.map((piece) => piece.text)).toEqual(["k", "ey"]);
    clock.advance(4);
    send("a", 3, "!");
    expect(pieces).toHaveLength(3);
  });

  it("keys that are typed 10 ms apart are echoed at once, each", () => {
    const { subscription, pieces } = listener();
    hub.processAppeared("a");
    hub.subscribe(subscription, ["a"]);
    anchor("a", 0);
    for (let key = 0; key < 5; key++) {
      send("a", key, "k");
      expect(pieces).toHaveLength(key + 1);
      clock.advance(10);
    }
  });

  it("bytes of a cut character wait for their rest; invalid ones become U+FFFD", () => {
    const { subscription, pieces } = listener();
    hub.processAppeared("a");
    hub.subscribe(subscription, ["a"]);
    anchor("a", 0);
    const smile = Buffer.from("x😀");
    send("a", 0, smile.subarray(0, 3));
    send("a", 3, smile.subarray(3));
    send("a", 5, Buffer.from([0xff]));
    hub.flush("a");
    expect(pieces.map((piece) => [piece.text, piece.offset])).toEqual([
      ["x", 1],
      ["😀\ufffd", 6],
    ]);
  });

  it("a frame is encoded once, whatever the number of subscribers", () => {
    const listeners = Array.from({ length: 100 }, () => listener());
    hub.processAppeared("a");
    for (const { subscription } of listeners) hub.subscribe(subscription, ["*"]);
    anchor("a", 0);
    send("a", 0, "hello");
    const encoded = new Set(listeners.map(({ pieces }) => pieces[0]?.encoded));
    expect(encoded.size).toBe(1);
    expect(JSON.parse(String([...encoded][0]))).toEqual({ type: "process_output", name: "a", output: "hello", offset: 5, stream_id: "s1" });
  });

  it.each([false, true])("a gap is reported with the next output, in one frame, or by itself where none follows (low delay: %s)", (low) => {
    const { subscription, pieces } = listener();
    hub.processAppeared("a");
    hub.setMode("a", { low_delay_output: low, no_skip_display: false });
    hub.subscribe(subscription, ["a"]);
    anchor("a", 0);
    const gap = (offset: number) => hub.receive(HOST, { name: "a", stream_id: "s1", offset, gap: 10, data: new Uint8Array() });
    gap(0);
    send("a", 10, "rest\nline\n");
    clock.advance(16);
    expect(pieces.map((piece) => [piece.text, piece.skipped, piece.offset])).toEqual([["line\n", 15, 20]]);
    gap(20);
    clock.advance(16);
    expect(pieces.slice(1).map((piece) => [piece.text, piece.skipped, piece.offset])).toEqual([["", 10, 30]]);
  });

  it("bytes that the host evicted are declared as skipped, and the decoder is reset", () => {
    const { subscription, pieces } = listener();
    hub.processAppeared("a");
    hub.subscribe(subscription, ["a"]);
    anchor("a", 0);
    send("a", 0, Buffer.from([0x61, 0xe2, 0x82]));
    hub.receive(HOST, { name: "a", stream_id: "s1", offset: 3, gap: 10, data: new Uint8Array() });
    send("a", 13, "b");
    hub.flush("a");
    expect(pieces.map((piece) => [piece.text, piece.skipped, piece.offset])).toEqual([
      ["a", 0, 1],
      ["\ufffd", 0, 3],
      ["b", 10, 14],
    ]);
  });
});

describe("subscriptions", () => {
  const run = (name: string) => {
    anchor(name, 0);
    send(name, 0, `${name} speaks`);
  };

  it("patterns match what is there and what appears later", () => {
    const { subscription, pieces } = listener();
    hub.processAppeared("sim/a");
    hub.subscribe(subscription, ["sim/*"]);
    hub.processAppeared("sim/b/c");
    hub.processAppeared("other");
    for (const name of ["sim/a", "sim/b/c", "other"]) run(name);
    expect(pieces.map((piece) => piece.name)).toEqual(["sim/a", "sim/b/c"]);
  });

  it("a pattern equal to a name matches it, wildcards or not", () => {
    const { subscription, pieces } = listener();
    hub.processAppeared("a[1]");
    hub.subscribe(subscription, ["a[1]"]);
    run("a[1]");
    expect(pieces).toHaveLength(1);
  });

  it("subscribing again never doubles output, and a process stays subscribed while any pattern matches", () => {
    const { subscription, pieces } = listener();
    hub.processAppeared("a");
    hub.subscribe(subscription, ["a", "*"]);
    hub.subscribe(subscription, ["a", "?"]);
    hub.unsubscribe(subscription, ["a", "*"]);
    run("a");
    expect(pieces).toHaveLength(1);
    hub.unsubscribe(subscription, ["?"]);
    send("a", 8, "more");
    hub.flush("a");
    expect(pieces).toHaveLength(1);
  });

  it("a pattern means its intersection with the view; a view of everything needs none", () => {
    const focused = listener({ everything: true, contains: (name) => name === "a" });
    hub.processAppeared("a");
    hub.processAppeared("b");
    hub.subscribe(focused.subscription, ["*", "b"]);
    run("a");
    run("b");
    expect(focused.pieces.map((piece) => piece.name)).toEqual(["a"]);
    hub.unsubscribe(focused.subscription, ["*"]);
    expect([...focused.subscription.names]).toEqual(["a"]);
  });

  it("a newcomer does not get what was written before it asked", () => {
    const first = listener();
    const second = listener();
    hub.processAppeared("a");
    hub.subscribe(first.subscription, ["a"]);
    anchor("a", 0);
    send("a", 0, "1");
    send("a", 1, "2");
    hub.subscribe(second.subscription, ["a"]);
    send("a", 2, "3");
    hub.flush("a");
    expect(first.text()).toBe("123");
    expect(second.text()).toBe("3");
  });

  it("a process that goes and comes back is matched again", () => {
    const { subscription, pieces } = listener();
    hub.subscribe(subscription, ["a"]);
    hub.processAppeared("a");
    hub.processGone("a");
    expect(subscription.names.size).toBe(0);
    hub.processAppeared("a");
    run("a");
    expect(pieces).toHaveLength(1);
  });

  it("matching thousands of patterns against thousands of names blocks no other work, and is correct whatever happens meanwhile", async () => {
    hub = new OutputHub({ clock: systemClock, source: { window: (_host, list) => windows.push(...list), hostOf: () => HOST } });
    for (let index = 0; index < 2_000; index++) hub.processAppeared(`group/${index}`);
    const { subscription } = listener();
    const leaving = listener().subscription;
    const patterns = [...Array.from({ length: 998 }, (_, index) => `*x*y${index}*z?[abc]`), "*9", "group/1*"];
    // Turns of the event loop that others get meanwhile: their number does not depend on the machine's load.
    let turns = 0;
    let over = false;
    const count = () => {
      turns++;
      if (!over) setImmediate(count);
    };
    setImmediate(count);
    const subscribed = hub.subscribe(subscription, patterns);
    const given = hub.subscribe(leaving, patterns);
    expect(subscribed).toBeInstanceOf(Promise);
    hub.closeSubscription(leaving);
    hub.processGone("group/1999");
    hub.processAppeared("group/2009");
    const removed = hub.unsubscribe(subscription, ["group/1*"]);
    await Promise.all([subscribed, given, removed]);
    over = true;
    const expected = [...Array(1_999).keys(), 2_009].map((index) => `group/${index}`).filter((name) => name.endsWith("9"));
    expect([...subscription.names].sort()).toEqual(expected.sort());
    expect(leaving.names.size).toBe(0);
    expect(turns).toBeGreaterThan(10);
    const open = new Map<string, number>();
    for (const window of windows) open.set(window.name, window.length);
    expect([...open].flatMap(([name, length]) => (length > 0 ? [name] : [])).sort()).toEqual(expected);
    hub.close();
  });

  it("too many patterns are refused and change nothing", () => {
    const { subscription } = listener();
    hub.processAppeared("x");
    const wildcards = Array.from({ length: 1_001 }, (_, index) => `*${index}`);
    expect(() => hub.subscribe(subscription, ["x", ...wildcards])).toThrow(/1000 patterns with wildcards/);
    expect(subscription.names.size).toBe(0);
    const names = Array.from({ length: 20_001 }, (_, index) => `n${index}`);
    expect(() => hub.subscribe(subscription, names)).toThrow(/20000 exact names/);
    hub.subscribe(subscription, [...wildcards.slice(0, 1_000), ...names.slice(0, 20_000)]);
    expect(() => hub.subscribe(subscription, ["y*"])).toThrow(/unsubscribe some first/);
  });
});

describe("reached", () => {
  it("waits for the offset, and does not wait without a subscriber", async () => {
    await hub.reached("a", 100, 1_000);
    const { subscription } = listener();
    hub.processAppeared("a");
    hub.subscribe(subscription, ["a"]);
    anchor("a", 0);
    let isReached = false;
    const reached = hub.reached("a", 5, 1_000).then(() => {
      isReached = true;
    });
    send("a", 0, "1234");
    await Promise.resolve();
    expect(isReached).toBe(false);
    send("a", 4, "5");
    await reached;
    expect(isReached).toBe(true);
  });

  it("declares a gap when the time is over, and goes on behind it", async () => {
    const { subscription, pieces } = listener();
    hub.processAppeared("a");
    hub.subscribe(subscription, ["a"]);
    anchor("a", 0);
    send("a", 0, "12");
    const reached = hub.reached("a", 10, 1_000);
    clock.advance(1_000);
    await reached;
    send("a", 10, "next");
    hub.flush("a");
    expect(pieces.map((piece) => [piece.text, piece.skipped])).toEqual([
      ["12", 0],
      ["", 8],
      ["next", 0],
    ]);
  });

  it("waits longer for output that still comes, but not for ever", async () => {
    const { subscription, pieces } = listener();
    hub.processAppeared("a");
    hub.subscribe(subscription, ["a"]);
    anchor("a", 0);
    let isOver = false;
    const reached = hub.reached("a", 1_000, 1_000).then(() => {
      isOver = true;
    });
    for (let index = 0; index < 19; index++) {
      clock.advance(500);
      send("a", index, "x");
      await Promise.resolve();
      expect(isOver).toBe(false);
    }
    clock.advance(500);
    await reached;
    expect(pieces.at(-1)).toMatchObject({ skipped: 981, offset: 1_000 });
  });

  it("output that waits for its turn on a busy host is not declared lost while output of other processes arrives", async () => {
    const { subscription, pieces } = listener();
    for (const name of ["a", "b"]) hub.processAppeared(name);
    hub.subscribe(subscription, ["a", "b"]);
    for (const name of ["a", "b"]) anchor(name, 0);
    const reached = hub.reached("a", 4, 1_000);
    for (let index = 0; index < 6; index++) {
      clock.advance(500);
      send("b", index, "x");
    }
    send("a", 0, "last");
    await reached;
    hub.flushAll();
    expect(pieces.filter(({ name }) => name === "a").map(({ text, skipped }) => [text, skipped])).toEqual([["last", 0]]);
    // A host from which nothing comes any more is waited for as before.
    const lost = hub.reached("a", 9, 1_000);
    clock.advance(1_000);
    await lost;
    expect(pieces.at(-1)).toMatchObject({ name: "a", skipped: 5 });
  });

  it("ends when the last subscriber leaves", async () => {
    const { subscription } = listener();
    hub.processAppeared("a");
    hub.subscribe(subscription, ["a"]);
    const reached = hub.reached("a", 10, 60_000);
    hub.closeSubscription(subscription);
    await reached;
    expect(clock.pendingTimers).toBe(0);
  });
});
