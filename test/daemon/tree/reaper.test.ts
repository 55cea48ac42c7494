import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, describe, expect, test, vi } from "vitest";
import { ownChildrenText, pidsOf, readStat, startTimeOf } from "../../../src/daemon/proc/proc.ts";
import { RunCgroups } from "../../../src/daemon/tree/cgroups.ts";
import { createReaper, type ReaperOptions } from "../../../src/daemon/tree/reaper.ts";
import type { TrackedTree, TreeReaper } from "../../../src/daemon/tree/tree-reaper.ts";
import { killIfThere, processesWith, uniqueSeconds, until, untilEnvironment } from "../../support/processes.ts";
import { soak } from "../../support/soak.ts";

const FIXTURES = join(import.meta.dirname, "../../fixtures");
let reaper: TreeReaper | null = null;
let cgroups: RunCgroups | null = null;
/** What all words of this file's processes have in common. */
const ALL_WORDS = uniqueSeconds().slice(0, -4);
let count = 0;
const before = ownChildren();
/** Only what hangs takes so long: a thousand processes are slow on a busy machine. */
const PATIENT_MS = 600_000;

afterEach(async () => {
  for (const pid of processesWith(ALL_WORDS)) killIfThere(pid);
  await until(nobodyLeft, PATIENT_MS, ownChildren);
  await reaper?.close();
  reaper = null;
  await cgroups?.close();
  cgroups = null;
}, 2 * PATIENT_MS);

function openCgroups(): RunCgroups | null {
  cgroups = RunCgroups.create(`test-${process.pid}`);
  return cgroups;
}

function start(options: Partial<ReaperOptions> = {}): TreeReaper {
  reaper = createReaper({ subreaper: true, marker: `test-${process.pid}`, ...options });
  return reaper;
}

interface Run {
  word: string;
  child: ChildProcess;
  tree: TrackedTree;
  exited: Promise<unknown>;
}

/** Starts a program as the host does: a session of its own, marked; tracked in the same turn. */
function run(by: TreeReaper, [command, ...words_]: [string, ...string[]]): Run {
  const word = uniqueSeconds();
  const runId = `1-${++count}`;
  const { started: child, tag } = by.tagged(runId, () =>
    spawn(
      command.includes("/") || !command.includes(".") ? command : join(FIXTURES, command),
      [...words_.map((w) => w.replaceAll("WORD", word)), ...(words_.length === 0 ? [word] : [])],
      {
        detached: true,
        stdio: ["ignore", "pipe", "inherit"],
        env: { PATH: process.env.PATH, MGR_RUN: `test-${process.pid}:${runId}` },
      },
    ),
  );
  const { pid } = child;
  if (pid === undefined) throw new Error("not started");
  const tree = by.track({ runId, pid, startTime: startTimeOf(pid) ?? "", terminal: "", tag });
  const exited = once(child, "exit");
  return { word, child, tree, exited };
}

async function ready({ child }: Run): Promise<void> {
  if (!child.stdout) throw new Error("no output");
  await once(child.stdout, "data");
}

/** What the host does on a stop: the signal, later SIGKILL, and the rest once the leader has ended. */
async function stop({ tree, exited }: Run, patience = 100): Promise<void> {
  tree.signal("SIGTERM");
  const timer = setTimeout(() => tree.signal("SIGKILL"), patience);
  exited.then(() => tree.killRest());
  await tree.extinct();
  clearTimeout(timer);
}

describe.each([
  ["a child subreaper", true, false],
  ["no subreaper", false, false],
  ["a child subreaper, in cgroups where they can be had", true, true],
])("as %s, stopping leaves nothing alive of", (_title, subreaper, inCgroups) => {
  test.each<string>(["ignore-term.sh", "setsid-grandchild.sh", "stopped-child.sh", "double-fork.py", "fork-bomb.sh"])(
    "%s",
    async (program) => {
      const started = run(start({ subreaper, cgroups: inCgroups ? openCgroups() : null }), [program]);
      await ready(started);
      expect(processesWith(started.word).length).toBeGreaterThan(0);
      await stop(started);
      expect(processesWith(started.word)).toEqual([]);
    },
  );

  test("all of it when it is killed in one turn", async () => {
    const started = run(start({ subreaper, cgroups: inCgroups ? openCgroups() : null }), ["setsid-grandchild.sh"]);
    await ready(started);
    started.tree.killNow();
    await started.tree.extinct();
    expect(processesWith(started.word)).toEqual([]);
  });

  test("nohup-child.sh, whose leader ended by itself", async () => {
    const started = run(start({ subreaper, cgroups: inCgroups ? openCgroups() : null }), ["nohup-child.sh"]);
    await started.exited;
    await until(
      () => processesWith(started.word).length === 1,
      60_000,
      () => processesWith(started.word),
    );
    started.tree.killRest();
    await started.tree.extinct();
    expect(processesWith(started.word)).toEqual([]);
  });

  test("a child without environment and session while its parent lives", async () => {
    const started = run(start({ subreaper, cgroups: inCgroups ? openCgroups() : null }), [
      "sh",
      "-c",
      "env -i setsid sleep WORD </dev/null >/dev/null 2>&1 & sleep 0.2; echo ready; sleep WORD",
    ]);
    await ready(started);
    await expect.poll(() => processesWith(started.word).length).toBeGreaterThan(1);
    await stop(started);
    expect(processesWith(started.word)).toEqual([]);
  });
});

describe("as a child subreaper", () => {
  test("a child without environment, session, terminal and parent is found as an orphan of the daemon", async () => {
    const started = run(start(), ["env-setsid.sh"]);
    await started.exited;
    await until(
      () => processesWith(started.word).length === 1,
      60_000,
      () => processesWith(started.word),
    );
    started.tree.killRest();
    await started.tree.extinct();
    expect(processesWith(started.word)).toEqual([]);
  });

  test("such a child is also found if its run continues, and the end of another run does not affect it", async () => {
    const by = start();
    const other = run(by, ["sleep"]);
    await expect.poll(() => processesWith(other.word), { timeout: 60_000 }).toHaveLength(1);
    const started = run(by, ["env-setsid.sh", "WORD", "WORD"]);
    await ready(started);
    await until(
      () => processesWith(started.word).length === 2,
      60_000,
      () => processesWith(started.word),
    );
    await stop(other);
    expect(processesWith(started.word)).toHaveLength(2);
    await stop(started);
    expect(processesWith(started.word)).toEqual([]);
  });

  test("an orphan that belongs to no run is left alone, and delays the end of no run", async () => {
    const by = start();
    const foreign = uniqueSeconds();
    const started = run(by, ["nohup-child.sh"]);
    await once(spawn("sh", ["-c", `setsid sleep ${foreign} >/dev/null 2>&1 &`]), "exit");
    await started.exited;
    started.tree.killRest();
    await started.tree.extinct();
    expect(processesWith(started.word)).toEqual([]);
    // While a program takes the place of another one, the process has no command line.
    await expect.poll(() => processesWith(foreign), { timeout: 60_000 }).toHaveLength(1);
  });

  test("zombies of orphans are reaped, and Node still reports the ends of its own children", async () => {
    const by = start();
    const started = run(by, ["sh", "-c", "(sleep 0.05 & sleep 0.1 & sleep 0.15 &) ; sleep 0.02; exit 7"]);
    const ends = await Promise.all(
      Array.from({ length: 20 }, (_, code) => once(spawn("sh", ["-c", `exit ${code}`], { detached: true }), "exit")),
    );
    expect(ends.map(([code]) => code)).toEqual(Array.from({ length: 20 }, (_, code) => code));
    expect((await started.exited) as [number]).toEqual([7, null]);
    await until(nobodyLeft, 60_000, ownChildren);
  });

  test("a leader that has ended with nothing left is extinct at once", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const started = run(start(), ["true"]);
      await started.exited;
      started.tree.killRest();
      // The first sweep, which comes in the next millisecond, proves it.
      vi.advanceTimersByTime(1);
      expect(await Promise.race([started.tree.extinct().then(() => "extinct"), nextTurn("later")])).toBe("extinct");
      await reaper?.close();
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("a signal", () => {
  test("reaches the whole tree, stopped processes included, and no process that is born later", async () => {
    const started = run(start(), ["sh", "-c", `trap 'sleep 0.1; echo cleaned; exit 3' TERM; sleep WORD & kill -STOP $!; echo ready; wait`]);
    await ready(started);
    const output = started.child.stdout ? once(started.child.stdout, "data") : null;
    started.tree.signal("SIGTERM");
    expect(String(await output)).toBe("cleaned\n");
    expect(await started.exited).toEqual([3, null]);
    started.tree.killRest();
    await started.tree.extinct();
    expect(processesWith(started.word)).toEqual([]);
  });

  test("has reached the descendants that the kernel lists before the call returns", async () => {
    const started = run(start(), ["sh", "-c", "setsid sh -c 'sleep WORD & echo ready; wait' & wait"]);
    await ready(started);
    await expect.poll(() => processesWith(started.word).length).toBeGreaterThanOrEqual(3);
    const pids = processesWith(started.word);
    // What is stopped keeps the signal pending.
    for (const pid of pids) process.kill(pid, "SIGSTOP");
    await until(
      () => pids.every((pid) => readStat(pid)?.state === "T"),
      60_000,
      () => pids.map(readStat),
    );
    started.tree.signal("SIGTSTP");
    expect(pids.map((pid) => [pid, isPending(pid, constants.signals.SIGTSTP)])).toEqual(pids.map((pid) => [pid, true]));
    started.tree.killRest();
    await started.tree.extinct();
    expect(processesWith(started.word)).toEqual([]);
  });

  test("to the leader is for the leader alone", async () => {
    const started = run(start(), ["sh", "-c", "sleep WORD & trap 'exit 5' HUP; echo ready; wait"]);
    await ready(started);
    started.tree.signalLeader("SIGHUP");
    expect(await started.exited).toEqual([5, null]);
    await until(
      () => processesWith(started.word).length === 1,
      60_000,
      () => processesWith(started.word),
    );
    started.tree.killRest();
    await started.tree.extinct();
  });

  test("is never sent to a process with the same pid and another start time", async () => {
    const innocent = spawn("sleep", ["60"]);
    const by = start({ subreaper: false });
    const tree = by.track({ runId: "9-9", pid: innocent.pid ?? 0, startTime: "1", terminal: "" });
    tree.signal("SIGTERM");
    tree.signalLeader("SIGTERM");
    tree.killRest();
    await tree.extinct();
    expect(innocent.exitCode).toBeNull();
    expect(readStat(innocent.pid ?? 0)?.ended).toBe(false);
    innocent.kill("SIGKILL");
    await once(innocent, "exit");
  });
});

test("a hundred runs stop together, and the others continue", async () => {
  const by = start();
  const runs = Array.from({ length: 120 }, () => run(by, ["sleep"]));
  await Promise.all(runs.slice(0, 100).map((started) => stop(started, 5_000)));
  expect(runs.slice(100).map(({ word }) => processesWith(word).length)).toEqual(Array(20).fill(1));
  await Promise.all(runs.slice(100).map((started) => stop(started)));
});

test("two runs that look alike are distinguished by their marker", async () => {
  const by = start({ subreaper: false });
  const one = run(by, ["setsid-grandchild.sh"]);
  const two = run(by, ["setsid-grandchild.sh"]);
  await Promise.all([ready(one), ready(two)]);
  const living = processesWith(two.word);
  await stop(one);
  expect(processesWith(one.word)).toEqual([]);
  await expect.poll(() => processesWith(two.word)).toEqual(expect.arrayContaining(living));
  await stop(two);
});

describe("a run is extinct only when nothing of it is left", () => {
  test.each([
    // The first ends on SIGTERM, at another moment in each tree.
    [
      "whose leaders end while their children go on",
      soak(40, 500),
      "(trap '' TERM; exec sleep WORD) & trap 'exit 0' TERM; echo ready; while :; do sleep 0.5; done",
    ],
    [
      "that ignore SIGTERM and leave children behind all the time",
      40,
      // It begins with SIGTERM, and 25 children of a tree are enough: forty trees would else keep a busy machine busy for minutes.
      "(setsid sleep WORD &); trap 'trap \"\" TERM; for n in $(seq 25); do (setsid sleep WORD &); sleep 0.2; done; exec sleep WORD' TERM; echo ready; while :; do sleep 0.5; done",
    ],
  ])(
    "of trees %s: %d stops, forty at once",
    async (_title, stops, script) => {
      const caught: string[] = [];
      const by = start({ log: (msg) => caught.push(msg) });
      // Whose orphan that is takes a look at everything.
      const foreign = await startForeign(1);
      for (let stopped = 0; stopped < stops; stopped += 40) {
        const runs = Array.from({ length: 40 }, () => run(by, ["sh", "-c", script]));
        await Promise.all(runs.map(ready));
        await Promise.all(runs.map((started) => stop(started, 200)));
        expect(processesWith(ALL_WORDS)).toEqual(processesWith(foreign));
      }
      expect(caught).toEqual([]);
    },
    2 * PATIENT_MS,
  );

  test("also for a program that moves from pid to pid, each of its processes living for a moment only", async () => {
    const hop = "import os, sys; print('ready', flush=True)\nwhile True:\n    if os.fork(): os._exit(0)";
    const started = run(start(), ["python3", "-c", hop, "WORD"]);
    await started.exited;
    started.tree.killRest();
    await started.tree.extinct();
    expect(processesWith(started.word)).toEqual([]);
  });

  test(
    "also if more children are ours than the kernel lists at once",
    async () => {
      const by = start();
      await startForeign(1_200);
      const started = run(by, ["nohup-child.sh"]);
      await started.exited;
      started.tree.killRest();
      await started.tree.extinct();
      expect(processesWith(started.word)).toEqual([]);
    },
    2 * PATIENT_MS,
  );
});

describe("the safety net", () => {
  /** A process with our mark, of a run that is not known. */
  async function stray(): Promise<{ word: string; exited: Promise<unknown> }> {
    const word = uniqueSeconds();
    const mark = `test-${process.pid}:9-9`;
    const child = spawn("sleep", [word], { stdio: "ignore", env: { PATH: process.env.PATH, MGR_RUN: mark } });
    const exited = once(child, "exit");
    // Before, a scan finds no mark.
    await untilEnvironment(child.pid ?? 0, mark);
    return { word, exited };
  }

  test("kills processes that carry our mark and belong to no living run, as soon as any run has ended, and logs that", async () => {
    const caught: string[] = [];
    const by = start({ log: (msg) => caught.push(msg) });
    const [left, living, ended] = [await stray(), run(by, ["sleep"]), run(by, ["true"])];
    await ended.exited;
    ended.tree.killRest();
    await ended.tree.extinct();
    await left.exited;
    expect(caught).toEqual([expect.stringMatching(/^left behind by a run that has ended, and killed now: sleep \(pid \d+\)$/)]);
    expect(processesWith(living.word)).toHaveLength(1);
    await stop(living);
  });

  test("delays the close until no process of ours is left, except living runs", async () => {
    const by = start({ subreaper: false });
    const [left, living] = [await stray(), run(by, ["sleep"])];
    await by.close();
    expect(processesWith(left.word)).toEqual([]);
    expect(processesWith(living.word)).toHaveLength(1);
  });

  test("does not kill a run that is being started", async () => {
    const caught: string[] = [];
    const by = start({ subreaper: false, log: (msg) => caught.push(msg) });
    const { started, tag } = by.tagged("1-x", () => spawn("sleep", [uniqueSeconds()], { detached: true, stdio: "ignore" }));
    await by.close();
    expect(tag).not.toBeNull();
    expect(started.signalCode).toBeNull();
    expect(caught).toEqual([]);
  });
});

/** Whether a signal was sent to a process that has not received it yet. */
function isPending(pid: number, signal: number): boolean {
  const mask = /^ShdPnd:\s+(\w+)$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1] ?? "0";
  return ((BigInt(`0x${mask}`) >> BigInt(signal - 1)) & 1n) === 1n;
}

/** Orphans that are no run's. Resolves with their word when all of them run. */
async function startForeign(processes: number): Promise<string> {
  const word = uniqueSeconds();
  const line = `i=0; while [ $i -lt ${processes} ]; do i=$((i + 1)); setsid sleep ${word} >/dev/null 2>&1 & done`;
  await once(spawn("sh", ["-c", line]), "exit");
  await until(
    () => processesWith(word).length === processes,
    PATIENT_MS,
    () => processesWith(word).length,
  );
  return word;
}

function ownChildren(): number[] {
  return pidsOf(ownChildrenText() ?? "");
}

/** No child of ours, alive or zombie, but those of the test runner itself. */
function nobodyLeft(): boolean {
  return ownChildren().every((pid) => before.includes(pid));
}
