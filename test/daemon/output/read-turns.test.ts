import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { ReadTurns } from "../../../src/daemon/output/read-turns.ts";
import { SimulatedClock } from "../../../src/testing/simulated-clock.ts";
import { record, shell } from "../support/terminals.ts";

/** What a full read of a terminal returns, bytes. */
const READ_BYTES = 4_095;
const QUIET_MS = 2;
const TURN_BYTES = 32 * 1024;

class Reader {
  continued = 0;
  readOn(): void {
    this.continued++;
  }
}

/** Reads until it has to wait; returns the bytes. */
function readAll(turns: ReadTurns, reader: Reader): number {
  for (let bytes = READ_BYTES; bytes < 10 * TURN_BYTES; bytes += READ_BYTES) if (!turns.read(reader, READ_BYTES)) return bytes;
  throw new Error("a reader never had to wait");
}

test("floods are read without a limit while nothing is typed", async () => {
  const clock = new SimulatedClock();
  const turns = new ReadTurns(clock);
  const [typed, flood] = [new Reader(), new Reader()];
  expect(turns.read(flood, 10 * TURN_BYTES)).toBe(true);
  turns.wrote(typed);
  await clock.advance(1_001);
  expect(turns.read(flood, 10 * TURN_BYTES)).toBe(true);
  expect(turns.read(flood, 10 * TURN_BYTES)).toBe(true);
});

test("after a key the floods of other terminals wait until the pause is over", async () => {
  const clock = new SimulatedClock();
  const turns = new ReadTurns(clock);
  const [typed, flood, other] = [new Reader(), new Reader(), new Reader()];
  turns.wrote(typed);
  expect([flood, other, typed].map((reader) => turns.read(reader, 1))).toEqual([false, false, true]);
  await clock.advance(QUIET_MS - 1);
  expect([flood.continued, other.continued]).toEqual([0, 0]);
  await clock.advance(1);
  expect([flood.continued, other.continued, typed.continued]).toEqual([1, 1, 0]);
  expect(turns.read(flood, 1)).toBe(true);
});

test("keys without end hold floods for a quarter of the time", async () => {
  const clock = new SimulatedClock();
  const turns = new ReadTurns(clock);
  const [typed, flood] = [new Reader(), new Reader()];
  let waited = 0;
  for (let ms = 0; ms < 800; ms++) {
    turns.wrote(typed);
    if (!turns.read(flood, 1)) waited++;
    await clock.advance(1);
  }
  expect(waited).toBe(200);
});

test("while a user types, all floods together have a share of each turn, and each of them at least one read", async () => {
  const clock = new SimulatedClock();
  const turns = new ReadTurns(clock);
  const [typed, first, second] = [new Reader(), new Reader(), new Reader()];
  turns.wrote(typed);
  await clock.advance(QUIET_MS);
  expect(readAll(turns, first)).toBeLessThan(TURN_BYTES + READ_BYTES);
  expect(readAll(turns, second)).toBe(READ_BYTES);
  expect([first.continued, second.continued]).toEqual([0, 0]);
  await nextTurn();
  expect([first.continued, second.continued]).toEqual([1, 1]);
  expect(readAll(turns, second)).toBeGreaterThan(READ_BYTES);
});

test("a terminal that is closed meanwhile is forgotten", async () => {
  const clock = new SimulatedClock();
  const turns = new ReadTurns(clock);
  const [typed, paused, late] = [new Reader(), new Reader(), new Reader()];
  turns.wrote(typed);
  turns.read(paused, 1);
  turns.forget(paused);
  await clock.advance(QUIET_MS);
  readAll(turns, late);
  turns.forget(late);
  await nextTurn();
  expect([paused.continued, late.continued]).toEqual([0, 0]);
});

test("an answer to typed input does not wait behind the flood of another terminal, which continues afterwards", async () => {
  const clock = new SimulatedClock();
  const turns = new ReadTurns(clock);
  const reads: number[] = [];
  let flooded = () => {};
  await using _end = {
    async [Symbol.asyncDispose]() {
      for (const { terminal, exit } of [flood, typed]) {
        process.kill(terminal.pid, "SIGKILL");
        await exit;
        terminal.close();
      }
    },
  };
  const floods = (count: number) =>
    new Promise<void>((resolve) => {
      const until = reads.length + count;
      flooded = () => {
        if (reads.length >= until) resolve();
      };
    });
  const onData = (bytes: Buffer) => {
    reads.push(bytes.length);
    flooded();
  };
  const flood = await record(["yes", "flood"], { turns, onData });
  const typed = await record(shell("read line; sleep 0.05; echo answered; exec cat"), { turns });
  await floods(100);
  // The clock stands still: the pause has no end before it is moved.
  typed.terminal.write(Buffer.from("\n"));
  const before = reads.length;
  await typed.until(/answered/);
  // The read in progress is the last one of a flood.
  expect(reads.slice(before).filter((bytes) => bytes >= READ_BYTES / 2).length).toBeLessThanOrEqual(1);

  // A terminal that is held for its reader stays held when the pause is over.
  flood.terminal.hold(true);
  const held = reads.length;
  await clock.advance(QUIET_MS);
  typed.terminal.write(Buffer.from("more\n"));
  await typed.until(/more[\s\S]*more/);
  expect(reads.length).toBe(held);

  await clock.advance(QUIET_MS);
  flood.terminal.hold(false);
  await floods(100);
});
