import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { tryLockExclusive } from "../../../src/daemon/native/libc.ts";
import { acquireLock, type Lock } from "../../../src/daemon/session/lock.ts";
import { watchLock } from "../../../src/daemon/session/lock-watch.ts";

let folder = "";
let state = "";
let lock: Lock;
let log: string[] = [];
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "mgr-watch-"));
  state = join(folder, "state");
  log = [];
  const taken = await acquireLock(join(state, "daemon.lock"), { instance_uuid: "test", contract: 1, socket: "" });
  if ("holder" in taken) throw new Error("held");
  lock = taken;
});
afterEach(() => {
  lock.release();
  rmSync(folder, { recursive: true });
});

const note = (level: string, msg: string) => log.push(`${level}: ${msg}`);
const said = (words: RegExp) => expect.poll(() => log.at(-1) ?? "").toMatch(words);

test("a state folder that is removed is created again, retried until that succeeds; each outcome is reported once", async () => {
  let remakes = 0;
  const remake = async () => {
    if (++remakes < 3) throw new Error("the disk is full");
  };
  const stop = watchLock({ lock, remake, log: note });
  rmSync(state, { recursive: true });
  await said(/^warning: the state folder .* was removed while this program runs; it has been made again/);
  expect(await lock.isInPlace()).toBe(true);
  expect(remakes).toBe(3);
  rmSync(state, { recursive: true });
  mkdirSync(state);
  await expect.poll(() => remakes).toBe(4);
  await stop();
  expect(log).toEqual([
    expect.stringMatching(/^error: the state folder .* was removed: the disk is full; trying again$/),
    expect.stringMatching(/was removed while/),
    expect.stringMatching(/^warning: the state folder .* was replaced or emptied while/),
  ]);
});

test("a lock that another process has taken meanwhile is waited for", async () => {
  rmSync(lock.path);
  const other = openSync(lock.path, "w");
  tryLockExclusive(other);
  const stop = watchLock({ lock, remake: async () => {}, log: note });
  await said(/^error: .*another process has locked/);
  closeSync(other);
  await said(/^warning: .*has been made again/);
  await stop();
  expect(await lock.isInPlace()).toBe(true);
});

test("nothing is created again once the watch is stopped", async () => {
  const stop = watchLock({ lock, remake: () => Promise.reject(new Error("not after the end")), log: note });
  await stop();
  rmSync(state, { recursive: true });
  const other = watchLock({ lock, remake: async () => {}, log: note });
  await said(/has been made again/);
  await other();
  expect(log).toHaveLength(1);
});
