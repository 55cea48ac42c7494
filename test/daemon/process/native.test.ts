import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { reapOrphan, setCloseOnExec, tryLockExclusive } from "../../../src/daemon/native/libc.ts";
import { openTerminalPair, resizeTerminal } from "../../../src/daemon/native/terminal-pair.ts";

const closeOnExec = (fd: number): boolean =>
  (Number.parseInt(/flags:\s+(\d+)/.exec(readFileSync(`/proc/self/fdinfo/${fd}`, "utf8"))?.[1] ?? "", 8) & 0o2000000) !== 0;

test("both ends of a new terminal are close-on-exec", () => {
  const pair = openTerminalPair(30, 100);
  expect(pair.path).toMatch(/^\/dev\/pts\/\d+$/);
  expect([closeOnExec(pair.master), closeOnExec(pair.slave)]).toEqual([true, true]);
  resizeTerminal(pair.master, 40, 120);
  closeSync(pair.master);
  closeSync(pair.slave);
  expect(() => resizeTerminal(pair.master, 40, 120)).toThrow("EBADF");
});

test("a lock is held by one open file at a time and released by closing it", () => {
  const dir = mkdtempSync(join(tmpdir(), "mgr-native-"));
  try {
    const [first, second] = [openSync(join(dir, "lock"), "w"), openSync(join(dir, "lock"), "w")];
    expect([tryLockExclusive(first), tryLockExclusive(second)]).toEqual([true, false]);
    closeSync(first);
    expect(tryLockExclusive(second)).toBe(true);
    closeSync(second);
  } finally {
    rmSync(dir, { recursive: true });
  }
});

test("reaping sees that neither a living child nor a foreign process is a zombie", async () => {
  const child = spawn("sleep", ["60"], { stdio: "ignore" });
  const exited = once(child, "exit");
  try {
    expect(reapOrphan(child.pid ?? 0)).toBe(false);
    expect(reapOrphan(1)).toBe(false);
  } finally {
    child.kill("SIGKILL");
    await exited;
  }
});

test("a failing system call is an error with the kernel's reason", () => {
  expect(() => setCloseOnExec(999_999)).toThrow("the system call fcntl(F_SETFD) failed with EBADF");
});
