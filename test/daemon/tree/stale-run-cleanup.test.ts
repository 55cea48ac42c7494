import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { killMarked, StaleRunCleanup } from "../../../src/daemon/tree/stale-run-cleanup.ts";
import { uniqueSeconds, untilEnvironment } from "../../support/processes.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mgr-life-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A process of a run of the daemon with this marker. */
async function marked(marker: string) {
  const child = spawn("sleep", [uniqueSeconds()], { stdio: "ignore", env: { PATH: process.env.PATH, MGR_RUN: `${marker}:1-1` } });
  const ended = once(child, "exit");
  // Before, a scan finds no mark.
  await untilEnvironment(child.pid ?? 0, marker);
  return { child, ended };
}

test("a living daemon does not count as a previous one: a copy of its folder ends none of its processes", async () => {
  const marker = randomUUID();
  const { child, ended } = await marked(marker);
  const life = new StaleRunCleanup(join(folder, "daemon.json"));
  life.begin(marker, null);
  expect(await life.end(() => {})).toBeNull();
  expect(child.signalCode).toBeNull();
  child.kill("SIGKILL");
  await ended;
});

test("processes of a dead daemon are killed, and named", async () => {
  const marker = randomUUID();
  const { child, ended } = await marked(marker);
  const file = join(folder, "daemon.json");
  const life = new StaleRunCleanup(file);
  life.begin(marker, null);
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), daemon: { pid: process.pid, start_time: "1" } }));
  const previous = life.read();
  if (previous === null) throw new Error("there is no previous life");
  const killed: string[] = [];
  await killMarked(previous, (msg) => killed.push(msg));
  expect(await ended).toEqual([null, "SIGKILL"]);
  expect(killed).toEqual([`left behind by a run that has ended, and killed now: sleep (pid ${child.pid})`]);
});
