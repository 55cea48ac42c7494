import { execFileSync } from "node:child_process";
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { TerminalWriter } from "../../../src/daemon/output/terminal-writer.ts";
import { type TestClock, testClock } from "../../actors/support/clock.ts";

let folder: string;
let fd: number;
let clock: TestClock;
let tries: number;
let writer: TerminalWriter;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mgr-writer-"));
  execFileSync("mkfifo", [join(folder, "pipe")]);
  // As a terminal whose child does not read: the kernel takes some, then no more.
  fd = openSync(join(folder, "pipe"), constants.O_RDWR | constants.O_NONBLOCK);
  clock = testClock();
  tries = 0;
  const counting = {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    clearTimeout: (timer: unknown) => clock.clearTimeout(timer),
    setTimeout: (callback: () => void, milliseconds: number) =>
      clock.setTimeout(() => {
        tries += 1;
        callback();
      }, milliseconds),
  };
  writer = new TerminalWriter(fd, counting);
});
afterEach(() => {
  writer.close();
  closeSync(fd);
  rmSync(folder, { recursive: true, force: true });
});

/** In steps: a timer that is set by a timer begins at the end of a step. */
function pass(milliseconds: number, step: number): void {
  for (let passed = 0; passed < milliseconds; passed += step) clock.advance(step);
}

it("a child that never reads is tried less and less often: some sixteen times a second, not all the time", () => {
  writer.write(Buffer.alloc(1024 * 1024, "x"));
  pass(1_000, 1);
  const before = tries;
  pass(60_000, 16);
  expect(tries - before).toBeGreaterThan(900);
  expect(tries - before).toBeLessThan(1_000);
});

it("writing continues with a piece each turn once the child reads again", () => {
  writer.write(Buffer.alloc(200_000, "x"));
  pass(1_000, 1);
  const waiting = writer.queuedBytes;
  expect(waiting).toBeGreaterThan(100_000);
  const buffer = Buffer.alloc(65_536);
  let left = waiting;
  const before = tries;
  for (let turn = 0; turn < 1_000 && writer.queuedBytes > 0; turn++) {
    if (turn === 0 || writer.queuedBytes < left - 60_000) {
      left = writer.queuedBytes;
      readSync(fd, buffer);
    }
    pass(1, 1);
  }
  expect(writer.queuedBytes).toBe(0);
  expect(tries - before).toBeLessThanOrEqual(Math.ceil(waiting / 4_096) + 1);
});
