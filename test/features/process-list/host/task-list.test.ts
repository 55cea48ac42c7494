import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { readList } from "../../../../src/app/hosts/list-reader.ts";
import { type Clock, systemClock } from "../../../../src/base/timing/clock.ts";
import { taskPage } from "../../../../src/features/process-list/contract.ts";
import { FIRST_INTERVAL_MS } from "../../../../src/features/process-list/host/task-samples.ts";
import type { TaskColumnName } from "../../../../src/features/process-list/task-columns.ts";
import { HostRig, spec } from "../../../daemon/support/hosts.ts";
import { uniqueSeconds } from "../../../support/processes.ts";
import { listTasks, oddTasks, openLists, ps, type Row, rowOf, sameText } from "./task-lists.ts";

/** Where the load does not matter its first second passes at once. */
const waits: number[] = [];
const clock: Clock = {
  ...systemClock,
  setTimeout: (callback, milliseconds) => {
    waits.push(milliseconds);
    return systemClock.setTimeout(callback, isHurried && milliseconds === FIRST_INTERVAL_MS ? 0 : milliseconds);
  },
};
let isHurried = true;
const open = openLists(clock);
const ask = (question: Parameters<typeof listTasks>[1] = {}) => listTasks(open, question);
afterAll(() => open.lists.close());

/** Begin and end of a look of ps, milliseconds. */
interface Span {
  readonly from: number;
  readonly to: number;
}
/** Is what started at `start` `seconds` old for ps? Both are rounded to seconds. */
const isStart = (start: number, seconds: number, checked: Span) =>
  start > checked.from - 1_000 * seconds - 3_000 && start < checked.to - 1_000 * seconds + 3_000;
/** Columns of ours and what ps calls them, with how they are compared. */
const SAME: Readonly<Partial<Record<TaskColumnName, [field: string, same: (ours: Row, theirs: string, checked: Span) => boolean]>>> = {
  ppid: ["ppid", ({ ppid }, theirs) => ppid === Number(theirs)],
  user: ["user", ({ user }, theirs) => user === theirs],
  state: ["s", ({ state }, theirs) => state === theirs],
  policy: ["sched", ({ policy }, theirs) => policy === Number(theirs)],
  prio: ["rtprio", ({ prio }, theirs) => prio === (theirs === "-" ? 0 : Number(theirs))],
  nice: ["ni", ({ nice }, theirs) => theirs === "-" || nice === Number(theirs)],
  processor: ["psr", ({ processor }, theirs) => processor === Number(theirs)],
  memory_rss: ["rss", ({ memory_rss }, theirs) => memory_rss === 1024 * Number(theirs)],
  memory_percent: ["pmem", ({ memory_percent }, theirs) => Math.abs(Number(memory_percent) - Number(theirs)) <= 0.1],
  threads: ["nlwp", ({ threads }, theirs) => threads === Number(theirs)],
  start_time: ["etimes", ({ start_time }, theirs, checked) => isStart(Date.parse(`${start_time}Z`), Number(theirs), checked)],
  cpu_time: ["cputimes", ({ cpu_time }, theirs) => Math.floor(Number(cpu_time)) === Number(theirs)],
};
/** What does not change by itself from one moment to the next. */
const STEADY: TaskColumnName[] = ["ppid", "user", "policy", "prio", "nice", "start_time"];
const key = (pid: unknown, tid: unknown) => `${pid}:${tid}`;

function differences(rows: Row[], columns: TaskColumnName[]): string[] {
  const fields = Object.values(SAME).map(([field]) => field);
  const from = Date.now();
  const theirs = new Map(ps(["pid", "lwp", ...fields]).map((line) => [key(line.pid, line.lwp), line]));
  const checked = { from, to: Date.now() };
  return rows.flatMap((row) => {
    const line = theirs.get(key(row.pid, row.tid));
    return columns.flatMap((name) => {
      const [field, same] = SAME[name] ?? ["", () => false];
      const value = line?.[field];
      return value === undefined || same(row, value, checked) ? [] : [`${key(row.pid, row.tid)} ${name}: ${row[name]}, ps says ${value}`];
    });
  });
}

describe("compared with ps", () => {
  test("every column of stopped tasks is the same, whatever their names", async () => {
    using odd = await oddTasks({ stopped: true });
    const zombie = ps(["pid"], ["--ppid", String(odd.pid)])[0]?.pid;
    const rows = (await ask()).filter(({ pid }) => pid === odd.pid || pid === Number(zombie));
    expect(rows.length).toBe(10);
    expect(rows.map(({ state }) => state).sort()).toEqual([..."TTTTTTTTT", "Z"]);
    expect(differences(rows, Object.keys(SAME) as TaskColumnName[])).toEqual([]);
    for (const field of ["comm", "args"] as const) {
      const theirs = new Map(ps(["pid", "lwp", field]).map((line) => [key(line.pid, line.lwp), line[field] ?? ""]));
      for (const row of rows) {
        const ours = field === "comm" ? row.name : row.command;
        expect([ours, theirs.get(key(row.pid, row.tid))]).toSatisfy(([a, b]) => sameText(a, b));
      }
    }
    expect(rows.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["a b c", ") R 1 (", "))((", "line\nbreak", "ünï ☃", "123456789012345", "tab\tbell\x07"]),
    );
    for (const row of rows) {
      const allowed = /^Cpus_allowed_list:\s*(.*)$/m.exec(readFileSync(`/proc/${row.pid}/task/${row.tid}/status`, "utf8"))?.[1] ?? "";
      expect(row.affinity).toBe(expanded(allowed));
    }
    expect(new Set(rows.map(({ affinity }) => affinity)).size).toBe(1 + Number(String(rows[0]?.affinity).includes(",")));
  });

  test("constant values are the same of every task of this machine, threads of the kernel included", async () => {
    const before = await ask();
    const theirs = new Set(ps(["pid", "lwp"]).map(({ pid, lwp }) => key(pid, lwp)));
    const found = differences(before, STEADY);
    const rowsAfter = await ask();
    const after = new Set(rowsAfter.map(({ pid, tid }) => key(pid, tid)));
    // What has changed since may have changed before ps looked.
    const again = differences(rowsAfter, STEADY);
    expect(found.filter((each) => again.includes(each))).toEqual([]);
    const ours = new Set(before.map(({ pid, tid }) => key(pid, tid)));
    // Who was there before and after ps was there for ps as well.
    expect([...ours].filter((each) => after.has(each) && !theirs.has(each))).toEqual([]);
    expect([...theirs].filter((each) => after.has(each)).length).toBeGreaterThan(20);
    expect(before.filter(({ ppid, command }) => ppid === 2 && String(command).startsWith("["))).not.toEqual([]);
  });

  test("without threads there is a row a process, with the numbers of all its threads", async () => {
    using odd = await oddTasks({ stopped: true });
    const rows = await ask({ show_threads: false });
    const theirs = new Set(ps(["pid"], ["-e"]).map(({ pid }) => Number(pid)));
    expect(rows.every(({ pid, tid }) => pid === tid)).toBe(true);
    expect(new Set(rows.map(({ pid }) => pid)).size).toBe(rows.length);
    expect(rows.filter(({ pid }) => theirs.has(Number(pid))).length).toBeGreaterThan(10);
    const [own] = rows.filter(({ pid }) => pid === odd.pid);
    const [line] = ps(["cputimes", "nlwp"], ["-p", String(odd.pid)]);
    expect([Math.floor(Number(own?.cpu_time)), own?.threads]).toEqual([Number(line?.cputimes), Number(line?.nlwp)]);
  });

  test("tasks that end while they are read are left out, and nothing fails", async () => {
    const child = spawn("/bin/sh", ["-c", "while :; do /bin/true & /bin/true; done"], { stdio: "ignore" });
    try {
      for (let round = 0; round < 10; round++) {
        for (const row of await ask({ requester: "steady" })) {
          expect(row.start_time).toMatch(/^\d{4}-/);
          expect(row.cpu_percent).toBeGreaterThanOrEqual(0);
        }
      }
    } finally {
      child.kill("SIGKILL");
    }
  });
});

describe("filters", () => {
  let odd: Awaited<ReturnType<typeof oddTasks>>;
  beforeAll(async () => {
    odd = await oddTasks({ stopped: true });
  });
  afterAll(() => odd[Symbol.dispose]());

  const numbers: [operator: string, holds: (a: number, b: number) => boolean][] = [
    ["==", (a, b) => a === b],
    ["!=", (a, b) => a !== b],
    ["<", (a, b) => a < b],
    ["<=", (a, b) => a <= b],
    [">", (a, b) => a > b],
    [">=", (a, b) => a >= b],
  ];

  test.each(numbers)("numbers by %s match the same tasks of ps", async (operator, holds) => {
    const ids = ps(["lwp"], ["-L", "-p", String(odd.pid)]).map(({ lwp }) => Number(lwp));
    const middle = ids[4] ?? 0;
    const ours = (await ask({ filter: `pid:==:${odd.pid}\0tid:${operator}:${middle}` })).map(({ tid }) => tid);
    expect(ours).toEqual(ids.filter((tid) => holds(tid, middle)));
    expect(ours.length).toBeGreaterThan(0);
  });

  const texts: [operator: string, holds: (a: string, b: string) => boolean][] = [
    ["==", (a, b) => a === b],
    ["!=", (a, b) => a !== b],
    ["<", (a, b) => a < b],
    ["<=", (a, b) => a <= b],
    [">", (a, b) => a > b],
    [">=", (a, b) => a >= b],
    ["~", (a, b) => a.toLowerCase().includes(b.toLowerCase())],
    ["!~", (a, b) => !a.toLowerCase().includes(b.toLowerCase())],
  ];

  test.each(texts)("text by %s matches the same tasks of ps", async (operator, holds) => {
    const expected = operator.includes("~") ? "A B" : "a b c";
    const ours = (await ask({ filter: `name:${operator}:${expected}\0pid:==:${odd.pid}` })).map(({ tid }) => tid);
    const theirs = ps(["lwp", "comm"], ["-L", "-p", String(odd.pid)]).filter(({ comm }) => holds(comm ?? "", expected));
    expect(ours).toEqual(theirs.map(({ lwp }) => Number(lwp)));
    expect(ours.length).toBeGreaterThan(0);
  });

  test("a thread is found by its number also if threads are not requested", async () => {
    const tid = Number(ps(["lwp", "comm"], ["-L", "-p", String(odd.pid)]).find(({ comm }) => comm === "))((")?.lwp);
    expect(await ask({ show_threads: false, filter: `tid:==:${tid}` })).toMatchObject([{ pid: odd.pid, tid, name: "))((" }]);
    expect(await ask({ show_threads: false, filter: "tid:==:4000000" })).toEqual([]);
  });

  test("an invalid filter is refused before anything is read", async () => {
    await expect(ask({ filter: "speed:>:5" })).rejects.toMatchObject({ code: "bad_field", message: expect.stringContaining("speed") });
  });
});

describe("environments", () => {
  test("are shown to root in full", async () => {
    using odd = await oddTasks();
    const [row] = await ask({ show_env: true, filter: `tid:==:${odd.pid}` });
    const variables = String(row?.env).split("\0");
    expect(variables).toContain("ODD_SECRET=of the\nodd one");
    expect(variables).toContain("EMPTY=");
    expect(await ask({ filter: `env:~:odd_secret=of\0pid:==:${odd.pid}\0tid:==:${odd.pid}` })).toMatchObject([{ env: null }]);
  });

  test("of other users cannot be changed, unless the host runs as root", async () => {
    using odd = await oddTasks();
    const own = vi.spyOn(process, "geteuid").mockReturnValue(65_534);
    const others = openLists(clock);
    own.mockRestore();
    const rows = await listTasks(others, { show_env: true, filter: `pid:==:${odd.pid}` });
    expect(rows.length).toBe(9);
    expect(new Set(rows.map(({ env }) => env))).toEqual(new Set([null]));
  });
});

describe("the process that a task belongs to", () => {
  test("is named for every process of a run's tree, also without the marker and with a session of its own; other tasks have none", async () => {
    await using rig = await HostRig.open();
    const [shallow, deep, orphan] = [uniqueSeconds(), uniqueSeconds(), uniqueSeconds()];
    const run = await rig.spawn(spec("sim/world", `sleep ${shallow} & env -i setsid sleep ${deep} & (setsid sleep ${orphan} &) ; wait`));
    const unrelated = spawn("sleep", [uniqueSeconds()]);
    try {
      const command = (seconds: string) => `sleep ${seconds}`;
      let rows: Row[] = [];
      await vi.waitFor(async () => {
        rows = await listOf(rig, "");
        for (const seconds of [shallow, deep, orphan]) expect(rows.some((row) => row.command === command(seconds))).toBe(true);
      }, 60_000);
      for (const seconds of [shallow, deep, orphan])
        expect(rows.find((row) => row.command === command(seconds))).toMatchObject({ process: "sim/world" });
      expect(rows.find(({ pid }) => pid === run.pid)).toMatchObject({ process: "sim/world" });
      expect(rows.find(({ pid }) => pid === unrelated.pid)).toMatchObject({ process: null });
      expect(rows.find(({ pid }) => pid === process.pid)).toMatchObject({ process: null });
      const managed = await listOf(rig, "process:!=:");
      expect(new Set(managed.map((row) => row.process))).toEqual(new Set(["sim/world"]));
    } finally {
      unrelated.kill("SIGKILL");
    }
  });
});

describe("CPU", () => {
  test("the first answer has the current load, over a second; later ones the load since the same client's last request", async () => {
    isHurried = false;
    const list = (requester: string, pid: number) => ask({ requester, show_threads: false, filter: `pid:==:${pid}` });
    const seconds = () => waits.filter((wait) => wait === FIRST_INTERVAL_MS).length;
    // Half a second of work, then nothing until it is told to go on.
    const program = "import time,os\nwhile time.process_time() < 0.5: pass\nprint('done', flush=True)\nos.read(0, 1)\nwhile True: pass";
    const child = spawn("/usr/bin/python3", ["-c", program]);
    try {
      await once(child.stdout, "data");
      const pid = child.pid ?? 0;
      const before = seconds();
      const [idle] = await list("one", pid);
      expect(idle?.cpu_percent).toBeLessThan(3);
      expect(seconds()).toBe(before + 1);
      child.stdin.write("x");
      const ticks = ticksOf(pid);
      await vi.waitFor(() => expect(ticksOf(pid) - ticks).toBeGreaterThan(60), { timeout: 60_000, interval: 50 });
      const [row] = await list("one", pid);
      expect(seconds()).toBe(before + 1);
      expect(row?.cpu_percent).toBeGreaterThan(1);
      expect(row?.cpu_percent).toBeLessThan(110);
      await list("two", pid);
      expect(seconds()).toBe(before + 2);
    } finally {
      isHurried = true;
      child.kill("SIGKILL");
    }
  });
});

/** Processes as a host tells them. */
async function listOf({ host, session }: HostRig, filter: string): Promise<Row[]> {
  const made = await host.request("tasks", { session, requester: "test", show_threads: false, show_env: false, filter });
  const cells = await readList({ link: host, command: (send) => send(session) }, made, taskPage);
  return cells.map(rowOf);
}

function ticksOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ")[1]?.split(" ") ?? [];
  return Number(fields[11]) + Number(fields[12]);
}

/** `0-2,5` as `0,1,2,5`. */
function expanded(list: string): string {
  return list
    .split(",")
    .flatMap((part) => {
      const [from = 0, to = from] = part.split("-").map(Number);
      return Array.from({ length: to - from + 1 }, (_, index) => from + index);
    })
    .join(",");
}
