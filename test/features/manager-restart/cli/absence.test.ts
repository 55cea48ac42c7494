import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { acquireLock } from "../../../../src/daemon/session/lock.ts";
import { absence } from "../../../../src/features/manager-restart/cli/absence.ts";

const NOW = Date.now();
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mgr-absence-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (status: object) =>
  writeFileSync(
    join(folder, "manager-restart.json"),
    JSON.stringify({ daemon_pid: process.pid, ended_at: NOW, how: null, next_at: null, problem: null, ...status }),
    { mode: 0o600 },
  );

/** This process stands in for the daemon. */
async function locked<T>(work: () => T): Promise<T> {
  const lock = await acquireLock(join(folder, "daemon.lock"), { instance_uuid: "u", contract: 1, socket: "" });
  try {
    return work();
  } finally {
    if ("release" in lock) lock.release();
  }
}

test("a command says when the manager is started again, or why it is not", async () => {
  await locked(() => {
    expect(absence(folder)).toBeNull();
    write({ how: "SIGKILL", next_at: NOW + 3_500 });
    expect(absence(folder, NOW)).toMatch(/^ended unexpectedly at \d\d:\d\d \(SIGKILL\); its daemon starts it again in 4 s$/);
    write({});
    expect(absence(folder, NOW)).toMatch(/^ended unexpectedly at \d\d:\d\d; its daemon is starting it again$/);
    write({ problem: "mgr.yaml:1:1: bad \x1b[2J" });
    expect(absence(folder, NOW)).toMatch(/ and is not started again by its daemon: mgr\.yaml:1:1: bad \\x1b\[2J$/);
  });
});

test("what a killed daemon has left, and what is damaged, says nothing", async () => {
  write({});
  expect(absence(folder)).toBeNull();
  await locked(() => {
    write({ daemon_pid: 1 });
    expect(absence(folder)).toBeNull();
    write({ next_at: "soon" });
    expect(absence(folder)).toBeNull();
    writeFileSync(join(folder, "manager-restart.json"), "{");
    expect(absence(folder)).toBeNull();
  });
});
