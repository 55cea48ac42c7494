import fc from "fast-check";
import { expect, it } from "vitest";
import type { OutputChunk, OutputWindow } from "../../../src/contract/messages.ts";
import { OutputHub } from "../../../src/transport/output/output-hub.ts";
import type { OutputPiece } from "../../../src/transport/output/output-piece.ts";
import { anyText } from "../../support/any-text.ts";
import { ManualClock } from "../manual-clock.ts";

const NAME = "p";
const HOST = "h";

/** A host as the contract describes it: a ring with a floor, a window, and a bus that repeats and loses what it carries. */
class ScriptedHost {
  ring = Buffer.alloc(0);
  /** Bytes before this offset were evicted. */
  floor = 0;
  readonly streamId: string;
  #window: { from: number; until: number } | null = null;
  readonly bus: OutputChunk[] = [];

  constructor(streamId: string) {
    this.streamId = streamId;
  }

  window({ from, length }: OutputWindow): void {
    if (from === null) this.bus.push(this.#chunk(this.ring.length, 0, this.ring.length));
    const start = from ?? this.ring.length;
    this.#window = length === 0 ? null : { from: start, until: start + length };
  }

  /** Puts the next at most `size` bytes of the window on the bus. */
  pump(size: number): boolean {
    const window = this.#window;
    if (!window) return false;
    if (window.from < this.floor) {
      const gap = Math.min(this.floor, window.until) - window.from;
      this.bus.push(this.#chunk(window.from, gap, window.from));
      window.from += gap;
      return true;
    }
    const end = Math.min(window.from + size, window.until, this.ring.length);
    if (end <= window.from) return false;
    this.bus.push(this.#chunk(window.from, 0, end));
    window.from = end;
    return true;
  }

  #chunk(offset: number, gap: number, end: number): OutputChunk {
    return { name: NAME, stream_id: this.streamId, offset, gap, data: this.ring.subarray(offset, end) };
  }
}

type Step =
  | { do: "write"; bytes: Uint8Array }
  | { do: "pump"; size: number }
  | { do: "deliver" }
  | { do: "lose" }
  | { do: "repeat" }
  | { do: "reconnect" }
  | { do: "evict"; keep: number }
  | { do: "pass"; ms: number }
  | { do: "join" }
  | { do: "fill"; who: number }
  | { do: "empty"; who: number }
  | { do: "daemon dies" };

const text = fc.oneof(
  anyText({ maxLength: 12 }).map((value) => Buffer.from(value)),
  fc.uint8Array({ maxLength: 6 }),
  fc.constant(Buffer.from("line\r\n")),
);

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: text.map((bytes): Step => ({ do: "write", bytes })) },
  { weight: 6, arbitrary: fc.integer({ min: 1, max: 9 }).map((size): Step => ({ do: "pump", size })) },
  { weight: 6, arbitrary: fc.constant<Step>({ do: "deliver" }) },
  { weight: 2, arbitrary: fc.constant<Step>({ do: "lose" }) },
  { weight: 2, arbitrary: fc.constant<Step>({ do: "repeat" }) },
  { weight: 1, arbitrary: fc.constant<Step>({ do: "reconnect" }) },
  { weight: 1, arbitrary: fc.nat(8).map((keep): Step => ({ do: "evict", keep })) },
  { weight: 3, arbitrary: fc.constantFrom(1, 16, 1_000).map((ms): Step => ({ do: "pass", ms })) },
  { weight: 1, arbitrary: fc.constant<Step>({ do: "join" }) },
  { weight: 2, arbitrary: fc.nat(3).map((who): Step => ({ do: "fill", who })) },
  { weight: 2, arbitrary: fc.nat(3).map((who): Step => ({ do: "empty", who })) },
  { weight: 1, arbitrary: fc.constant<Step>({ do: "daemon dies" }) },
);

it("whatever the bus repeats, loses, cuts and reconnects, each subscriber gets exactly the contiguous text with declared skips", () => {
  fc.assert(fc.property(fc.array(step, { maxLength: 60 }), play), { numRuns: 600 });
});

function play(steps: Step[]): void {
  const clock = new ManualClock();
  const daemons = [new ScriptedHost("s0")];
  const daemon = () => daemons.at(-1) as ScriptedHost;
  const hub = new OutputHub({
    clock,
    source: {
      window: (_host, list) => {
        for (const window of list) daemon().window(window);
      },
      hostOf: () => HOST,
    },
  });
  const heard: OutputPiece[][] = [];
  const readers: { isFull: boolean; setFull(isFull: boolean): void }[] = [];
  const join = () => {
    const pieces: OutputPiece[] = [];
    heard.push(pieces);
    const sink = { isFull: false, output: (piece: OutputPiece) => void pieces.push(piece), setFull: (_isFull: boolean) => {} };
    const subscription = hub.open({ sink, contains: () => true, everything: false });
    sink.setFull = (isFull) => {
      sink.isFull = isFull;
      if (!isFull) hub.hasRoom(subscription);
    };
    readers.push(sink);
    hub.subscribe(subscription, ["*"]);
  };
  const deliver = () => {
    const chunk = daemon().bus.shift();
    if (chunk) hub.receive(HOST, chunk);
  };

  hub.hostReady(HOST, daemon().streamId);
  hub.processAppeared(NAME);
  join();
  deliver();
  for (const step of steps) {
    const host = daemon();
    if (step.do === "write") host.ring = Buffer.concat([host.ring, step.bytes]);
    if (step.do === "pump") host.pump(step.size);
    if (step.do === "deliver") deliver();
    if (step.do === "lose") host.bus.shift();
    if (step.do === "repeat" && host.bus[0]) host.bus.push(host.bus[0]);
    if (step.do === "reconnect") hub.hostReady(HOST, host.streamId);
    if (step.do === "evict") host.floor = Math.max(host.floor, host.ring.length - step.keep);
    if (step.do === "pass") clock.advance(step.ms);
    if (step.do === "join") join();
    if (step.do === "fill") readers[step.who]?.setFull(true);
    if (step.do === "empty") readers[step.who]?.setFull(false);
    if (step.do === "daemon dies") {
      daemons.push(new ScriptedHost(`s${daemons.length}`));
      hub.hostReady(HOST, daemon().streamId);
    }
  }
  settle();

  for (const [index, pieces] of heard.entries()) checkContiguous(pieces, daemons, index === 0);
  hub.close();
  expect(clock.pendingTimers).toBe(0);

  /** Lets the repeated windows bring what is missing. The last byte is ASCII, so that no character stays cut. */
  function settle(): void {
    for (const reader of readers) reader.setFull(false);
    daemon().ring = Buffer.concat([daemon().ring, Buffer.from("\n")]);
    for (let round = 0; round < 4; round++) {
      while (daemon().pump(7) || daemon().bus.length > 0) deliver();
      clock.advance(1_000);
    }
  }
}

function checkContiguous(pieces: OutputPiece[], daemons: ScriptedHost[], fromTheStart: boolean): void {
  for (const daemon of daemons) {
    const own = pieces.filter((piece) => piece.streamId === daemon.streamId);
    let position = fromTheStart ? 0 : null;
    for (const piece of own) {
      const start = piece.offset - piece.data.length;
      if (position !== null) expect(start - piece.skipped).toBe(position);
      expect(Buffer.from(piece.data)).toEqual(daemon.ring.subarray(start, piece.offset));
      position = piece.offset;
    }
    const withoutSkips = own.every((piece) => piece.skipped === 0);
    if (own[0] && withoutSkips) {
      const from = own[0].offset - own[0].data.length;
      const decoded = new TextDecoder("utf-8", { ignoreBOM: true }).decode(daemon.ring.subarray(from, position ?? 0));
      expect(own.map((piece) => piece.text).join("")).toBe(decoded);
    }
    if (daemon === daemons.at(-1)) expect(position).toBe(daemon.ring.length);
  }
}
