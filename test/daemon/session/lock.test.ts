import { spawn } from "node:child_process";
import {
  closeSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { tryLockExclusive } from "../../../src/daemon/native/libc.ts";
import { startTimeOf } from "../../../src/daemon/proc/proc.ts";
import { instanceUuid } from "../../../src/daemon/session/instance.ts";
import { acquireLock, readLock } from "../../../src/daemon/session/lock.ts";
import { findHolder, holdsLock } from "../../../src/daemon/session/lock-holder.ts";
import { bundled } from "../../support/bundled.ts";

const ABOUT = { instance_uuid: "0c7be9a2-6c41-4b0b-8ecb-7a6d6b2a4f11", contract: 1, socket: "/run/mgr/x/bus.sock" };

let holder = "";
beforeAll(async () => {
  holder = await bundled("test/fixtures/hold-lock.ts");
});

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mgr-lock-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function take(path: string) {
  const lock = await acquireLock(path, ABOUT);
  if ("holder" in lock) throw new Error(`held by ${lock.holder.pid}`);
  return lock;
}

function otherProcess(path: string) {
  const child = spawn(process.execPath, [holder, path], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ended = new Promise((resolve) => child.once("exit", resolve));
  return { child, ended, line: async () => (await lines.next()).value as string };
}

describe("a lock file", () => {
  test("names its holder: pid, start time, boot id, instance, contract and socket", async () => {
    const path = join(folder, "state", "daemon.lock");
    const lock = await take(path);
    const { held, info } = await readLock(path);
    expect(held).toBe(true);
    expect(info).toEqual({
      ...ABOUT,
      pid: process.pid,
      start_time: startTimeOf(process.pid),
      boot_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      paths: [path],
    });
    lock.release();
    expect(await readLock(path)).toMatchObject({ held: false, info: { pid: process.pid } });
  });

  test("is readable by its owner only, and so is its folder", async () => {
    const path = join(folder, "state", "manager.lock");
    const lock = await take(path);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, "state")).mode & 0o777).toBe(0o700);
    lock.release();
  });

  test("that does not exist is not held", async () => {
    expect(await readLock(join(folder, "none.lock"))).toEqual({ held: false, info: null });
  });

  test.each(["", "{", "\0\0\0\0", '{"pid":1}', "[]", '{"pid":'])("with the torn content %j is taken over", async (content) => {
    const path = join(folder, "daemon.lock");
    writeFileSync(path, content);
    expect(await readLock(path)).toEqual({ held: false, info: null });
    const lock = await take(path);
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual(lock.info);
    lock.release();
  });

  test("shorter than the previous one leaves no rest of that one", async () => {
    const path = join(folder, "daemon.lock");
    writeFileSync(path, "x".repeat(5_000));
    const lock = await take(path);
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual(lock.info);
    lock.release();
  });

  test("that is a symbolic link is refused: it could lock, and empty, any file", async () => {
    const victim = join(folder, "victim");
    writeFileSync(victim, "precious");
    symlinkSync(victim, join(folder, "daemon.lock"));
    await expect(take(join(folder, "daemon.lock"))).rejects.toMatchObject({ code: "conflict" });
    expect(readFileSync(victim, "utf8")).toBe("precious");
  });

  test("that was removed while it was held is still held: its holder is found without it", async () => {
    const path = join(folder, "daemon.lock");
    const first = await take(path);
    rmSync(path);
    expect(await readLock(path)).toEqual({ held: true, info: first.info });
    expect(await acquireLock(path, ABOUT)).toEqual({ holder: first.info });
    first.release();
    expect(await readLock(path)).toMatchObject({ held: false });
    (await take(path)).release();
  });

  test("read by many processes at the same moment does not count as held", async () => {
    const path = join(folder, "daemon.lock");
    (await take(path)).release();
    const checks = await Promise.all(Array.from({ length: 50 }, () => readLock(path)));
    expect(checks.every((look) => !look.held)).toBe(true);
  });
});

describe("two processes", () => {
  test("cannot hold one lock; the second learns the holder, and gets the lock when it is released", async () => {
    const path = join(folder, "manager.lock");
    const first = otherProcess(path);
    expect(await first.line()).toBe("taken");
    const refused = await acquireLock(path, ABOUT);
    expect(refused).toMatchObject({ holder: { pid: first.child.pid, instance_uuid: "test", socket: "/run/test.sock" } });
    first.child.stdin.end();
    expect(await first.line()).toBe("released");
    (await take(path)).release();
    await first.ended;
  });

  test("release the lock to the other when one is killed", async () => {
    const path = join(folder, "manager.lock");
    const first = otherProcess(path);
    expect(await first.line()).toBe("taken");
    first.child.kill("SIGKILL");
    await first.ended;
    expect(await readLock(path)).toMatchObject({ held: false, info: { pid: first.child.pid } });
    (await take(path)).release();
  });
});

describe("a lock that another process holds", () => {
  const gone: Record<string, (state: string) => void> = {
    removed: (state) => rmSync(state, { recursive: true }),
    "removed with the folder above": (state) => rmSync(dirname(state), { recursive: true }),
    "removed and created again": (state) => {
      rmSync(state, { recursive: true });
      mkdirSync(state);
    },
    renamed: (state) => renameSync(state, `${state}.old`),
    "restored from a backup": (state) => {
      cpSync(state, `${state}.backup`, { recursive: true });
      rmSync(state, { recursive: true });
      renameSync(`${state}.backup`, state);
    },
  };

  test.each(Object.entries(gone))("stays held when its folder is %s; it is taken when the holder is killed", async (_, change) => {
    const state = join(folder, "above", "state");
    const path = join(state, "manager.lock");
    const first = otherProcess(path);
    expect(await first.line()).toBe("taken");
    change(state);
    expect(await readLock(path)).toMatchObject({ held: true, info: { pid: first.child.pid } });
    expect(await acquireLock(path, ABOUT)).toMatchObject({ holder: { pid: first.child.pid } });
    expect(instanceUuid(state)).toBe("test");
    first.child.kill("SIGKILL");
    await first.ended;
    (await take(path)).release();
  });

  test("stays held when a symbolic link to its folder is removed, and is found by the other path of the folder", async () => {
    const [real, link] = [join(folder, "real"), join(folder, "link")];
    mkdirSync(real);
    symlinkSync(real, link);
    const first = otherProcess(join(link, "manager.lock"));
    expect(await first.line()).toBe("taken");
    rmSync(link);
    rmSync(real, { recursive: true });
    for (const state of [link, real]) expect(await readLock(join(state, "manager.lock"))).toMatchObject({ held: true });
    first.child.stdin.end();
    await first.ended;
  });

  test("does not count as held by the holder of another folder, another lock or another uid", async () => {
    const path = join(folder, "state", "manager.lock");
    const first = otherProcess(path);
    expect(await first.line()).toBe("taken");
    rmSync(join(folder, "state"), { recursive: true });
    expect(findHolder(path)).toMatchObject({ pid: first.child.pid });
    expect(findHolder(join(folder, "state", "daemon.lock"))).toBeNull();
    expect(findHolder(join(folder, "other", "manager.lock"))).toBeNull();
    const uid = vi.spyOn(process, "getuid").mockReturnValue(54_321);
    expect(findHolder(path)).toBeNull();
    uid.mockRestore();
    first.child.stdin.end();
    await first.ended;
  });

  test("cannot be faked by the content of a file: its process must have it open", async () => {
    const path = join(folder, "manager.lock");
    const first = otherProcess(path);
    expect(await first.line()).toBe("taken");
    const copy = join(folder, "copy", "manager.lock");
    mkdirSync(dirname(copy));
    const info = JSON.parse(readFileSync(path, "utf8")) as object;
    writeFileSync(copy, JSON.stringify({ ...info, paths: [copy] }));
    const open = openSync(copy, "r");
    expect(findHolder(copy)).toBeNull();
    closeSync(open);
    first.child.stdin.end();
    await first.ended;
  });
});

describe("a lock whose file is gone", () => {
  test("is written at its path again, and is held all the time", async () => {
    const path = join(folder, "state", "manager.lock");
    const lock = await take(path);
    expect(await lock.isInPlace()).toBe(true);
    rmSync(join(folder, "state"), { recursive: true });
    expect(await lock.isInPlace()).toBe(false);
    expect(lock.renew()).toBe(true);
    expect(await lock.isInPlace()).toBe(true);
    expect(await readLock(path)).toEqual({ held: true, info: lock.info });
    const other = otherProcess(path);
    expect(await other.line()).toBe(`held by ${process.pid}`);
    await other.ended;
    lock.release();
    expect(await readLock(path)).toMatchObject({ held: false });
  });

  test("waits while another process has locked the file that is there now", async () => {
    const path = join(folder, "manager.lock");
    const lock = await take(path);
    rmSync(path);
    const fd = openSync(path, "w");
    expect(tryLockExclusive(fd)).toBe(true);
    expect(lock.renew()).toBe(false);
    closeSync(fd);
    expect(lock.renew()).toBe(true);
    lock.release();
  });

  test("has the current address of its holder, written atomically", async () => {
    const lock = await take(join(folder, "manager.lock"));
    for (const socket of ["/short", `/${"long".repeat(50)}`, "/a"]) {
      lock.moveTo(socket);
      expect((await readLock(lock.path)).info).toEqual({ ...lock.info, socket });
    }
    lock.release();
  });
});

describe("an instance", () => {
  test("keeps its uuid for life", () => {
    const stateDir = join(folder, "state");
    const uuid = instanceUuid(stateDir);
    expect(uuid).toMatch(/^[0-9a-f]{8}-/);
    expect(instanceUuid(stateDir)).toBe(uuid);
    expect(statSync(join(stateDir, "instance.json")).mode & 0o777).toBe(0o600);
  });

  test("whose file is damaged is not given another uuid silently", () => {
    writeFileSync(join(folder, "instance.json"), "{");
    expect(() => instanceUuid(folder)).toThrow(/instance\.json holds no instance uuid/);
  });
});

test("the open files of a process show whether it holds the lock on the file that is at the path now", async () => {
  const path = join(folder, "manager.lock");
  const lock = await take(path);
  expect(holdsLock(process.pid, path)).toBe(true);
  // A copy of the state folder, and a process that only looks.
  cpSync(path, join(folder, "copy", "manager.lock"));
  expect(holdsLock(process.pid, join(folder, "copy", "manager.lock"))).toBe(false);
  const other = openSync(path, "r");
  lock.release();
  expect(holdsLock(process.pid, path)).toBe(false);
  closeSync(other);
  expect(holdsLock(process.pid, join(folder, "missing.lock"))).toBe(false);
});
