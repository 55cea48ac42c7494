import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeAll, expect, test } from "vitest";
import { listPids, readStat } from "../../../src/daemon/proc/proc.ts";
import { killLeftovers } from "../../../src/daemon/tree/guard.ts";
import { bundled } from "../../support/bundled.ts";
import { killIfThere, processesWith, uniqueSeconds, until, untilEnvironment } from "../../support/processes.ts";

const FIXTURES = join(import.meta.dirname, "../../fixtures");
const cleanUp: (() => void)[] = [];
/** Only what hangs takes so long: hundreds of processes are slow on a busy machine. */
const PATIENT_MS = 300_000;

let program = "";
beforeAll(async () => {
  program = await bundled("test/fixtures/guarded-parent.ts");
});

afterEach(() => {
  for (const clean of cleanUp.splice(0)) clean();
});

interface Parent {
  child: ChildProcess;
  marker: string;
  guard: () => number[];
  errors: () => string;
}

async function parent(programs: string[][], subreaper = true): Promise<Parent> {
  const marker = randomUUID();
  const child = spawn(process.execPath, [program], {
    stdio: ["pipe", "pipe", "pipe"],
    env: { ...process.env, GUARDED: JSON.stringify({ subreaper, marker, programs }) },
  });
  let errors = "";
  child.stderr.on("data", (chunk) => {
    errors += chunk;
  });
  const guard = () => processesWith(marker);
  cleanUp.push(() => {
    child.kill("SIGKILL");
    for (const pid of guard()) killIfThere(pid);
  });
  const [line] = await Promise.race([once(createInterface({ input: child.stdout }), "line"), once(child, "exit").then(() => [null])]);
  if (line === null) throw new Error(errors);
  return { child, marker, guard, errors: () => errors };
}

function word(): string {
  const made = uniqueSeconds();
  cleanUp.push(() => {
    for (const pid of processesWith(made)) killIfThere(pid);
  });
  return made;
}

async function killed({ child }: Parent): Promise<void> {
  child.kill("SIGKILL");
  await once(child, "exit");
}

test.each([
  ["a daemon", true],
  ["an embedding program", false],
])("kill -9 of %s leaves none of its runs alive, not even what fled into other sessions", async (_title, subreaper) => {
  const found = word();
  const started = await parent(
    [
      ...["ignore-term.sh", "setsid-grandchild.sh", "stopped-child.sh", "double-fork.py", "nohup-child.sh"].map((name) => [
        join(FIXTURES, name),
        found,
      ]),
      ["sh", "-c", `env -i setsid sleep ${found} </dev/null >/dev/null 2>&1 & sleep 0.1; echo ready; sleep ${found}`],
      ["sh", "-c", `echo ready; exec env -i sleep ${found}`],
    ],
    subreaper,
  );
  await expect.poll(() => processesWith(found).length).toBeGreaterThan(10);
  await killed(started);
  await until(
    () => processesWith(found).length === 0,
    60_000,
    () => processesWith(found),
  );
  await until(() => started.guard().length === 0, 60_000, started.guard);
});

test("kill -9 of a daemon leaves no orphan alive that has neither marker nor session nor parent", async () => {
  const found = word();
  const started = await parent([[join(FIXTURES, "env-setsid.sh"), found, found]]);
  await until(
    () => processesWith(found).length === 2,
    60_000,
    () => processesWith(found),
  );
  await killed(started);
  await expect.poll(() => processesWith(found), { timeout: 60_000 }).toEqual([]);
  await until(() => started.guard().length === 0, 60_000, started.guard);
});

test(
  "kill -9 of a daemon with 200 runs leaves nothing, and harms no other process",
  async () => {
    const found = word();
    const innocent = spawn("setsid", ["sleep", word()], { env: { MGR_RUN: `${randomUUID()}:1-1` } });
    const started = await parent(Array.from({ length: 200 }, () => ["sh", "-c", `echo ready; sleep ${found}; :`]));
    expect(processesWith(found).length).toBeGreaterThanOrEqual(200);
    await killed(started);
    await until(
      () => processesWith(found).length === 0,
      PATIENT_MS,
      () => processesWith(found),
    );
    await until(() => started.guard().length === 0, PATIENT_MS, started.guard);
    expect(readStat(innocent.pid ?? 0)?.ended).toBe(false);
    innocent.kill("SIGKILL");
    await once(innocent, "exit");
  },
  3 * PATIENT_MS,
);

test("a guard holds only its pipe, no folder, and ignores signals that end other programs", async () => {
  const started = await parent([["sh", "-c", `echo ready; sleep ${word()}`]]);
  await until(() => started.guard().length === 1, 60_000, started.guard);
  const [guard = 0] = started.guard();
  // Its traps are set: it is a shell by now, and no file of the loader is open any more.
  const ignores = (number: number) => {
    const mask = BigInt(`0x${/^SigIgn:\s*(\w+)$/m.exec(readFileSync(`/proc/${guard}/status`, "utf8"))?.[1]}`);
    return (mask & (1n << BigInt(number - 1))) !== 0n;
  };
  const { SIGHUP, SIGINT, SIGTERM } = constants.signals;
  await until(
    () => [SIGHUP, SIGINT, SIGTERM].every(ignores),
    60_000,
    () => readFileSync(`/proc/${guard}/status`, "utf8"),
  );
  expect(readlinkSync(`/proc/${guard}/cwd`)).toBe("/");
  expect(readStat(guard)).toMatchObject({ session: guard, tty: 0 });
  const files = readdirSync(`/proc/${guard}/fd`).map((fd) => `${fd} ${readlinkSync(`/proc/${guard}/fd/${fd}`).replace(/\[\d+\]/, "")}`);
  expect(files).toEqual(["0 socket:", "1 /dev/null", "2 /dev/null"]);
  for (const signal of [SIGHUP, SIGINT, SIGTERM]) process.kill(guard, signal);
  expect(started.guard()).toEqual([guard]);
});

test("a guard that was killed is replaced, and the new one knows the runs", async () => {
  const found = word();
  const started = await parent([["sh", "-c", `echo ready; exec env -i sleep ${found}`]]);
  await until(
    () => processesWith(found).length === 1,
    60_000,
    () => processesWith(found),
  );
  await until(() => started.guard().length === 1, 60_000, started.guard);
  const [first = 0] = started.guard();
  process.kill(first, "SIGKILL");
  await until(() => started.guard().some((pid) => pid !== first), 60_000, started.guard);
  // The daemon tells the new guard of the runs in the turn in which it starts it, and then waits again.
  await until(
    () => readStat(started.child.pid ?? 0)?.state === "S",
    60_000,
    () => started.child.pid,
  );
  await expect.poll(started.errors).toContain(`the guard (pid ${first}) ended: SIGKILL; a new one is started`);
  expect(processesWith(found)).toHaveLength(1);
  await killed(started);
  await until(
    () => processesWith(found).length === 0,
    60_000,
    () => processesWith(found),
  );
  await until(() => started.guard().length === 0, 60_000, started.guard);
});

test("a guard ends with a daemon that closes, and then kills nothing", async () => {
  const found = word();
  const started = await parent([["sh", "-c", `echo ready; sleep ${found}`]]);
  started.child.stdin?.write("close\n");
  await once(started.child, "exit");
  await until(() => started.guard().length === 0, 60_000, started.guard);
  expect(processesWith(found).length).toBeGreaterThan(0);
});

test("processes of an earlier daemon are found by its marker and killed, and no others", async () => {
  const [ours, other] = [word(), word()];
  const marker = randomUUID();
  const run = (env: Record<string, string>, seconds: string) =>
    spawn("sh", ["-c", `setsid sleep ${seconds} & wait`], { detached: true, env: { PATH: process.env.PATH, ...env } });
  const leftover = run({ MGR_RUN: `${marker}:1-1` }, ours);
  const innocent = run({ MGR_RUN: `${randomUUID()}:1-1` }, other);
  await untilEnvironment(leftover.pid ?? 0, marker);
  await until(() => processesWith(ours).length >= 2 && processesWith(other).length >= 2, 60_000, listPids);
  const ended = once(leftover, "exit");
  await killLeftovers(marker);
  await ended;
  expect(processesWith(ours)).toEqual([]);
  expect(processesWith(other).length).toBeGreaterThan(1);
  process.kill(-(innocent.pid ?? 0), "SIGKILL");
  await once(innocent, "exit");
});
