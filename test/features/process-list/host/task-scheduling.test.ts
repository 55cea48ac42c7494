import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { setTask } from "../../../../src/features/process-list/host/task-scheduling.ts";
import { oddTasks } from "./task-lists.ts";

let odd: Awaited<ReturnType<typeof oddTasks>>;
let cpus: number[] = [];
beforeAll(async () => {
  odd = await oddTasks();
  cpus = affinityOf(process.pid);
});
afterAll(() => odd[Symbol.dispose]());

const OTHER = 0;
const FIFO = 1;
const RR = 2;
const BATCH = 3;
const IDLE = 5;
const first = () => cpus.slice(0, 1);
const run = (command: string, ...words: string[]) => execFileSync(command, words, { encoding: "utf8" });
/** As chrt(1) and taskset(1) read them. */
const chrt = (tid: number) => ({
  policy: /policy: (\S+)/.exec(run("chrt", "-p", String(tid)))?.[1],
  prio: Number(/priority: (\d+)/.exec(run("chrt", "-p", String(tid)))?.[1]),
});
const affinityOf = (tid: number) =>
  (/list: (.*)/.exec(run("taskset", "-cp", String(tid)))?.[1] ?? "").split(",").flatMap((part) => {
    const [from = 0, to = from] = part.split("-").map(Number);
    return Array.from({ length: to - from + 1 }, (_, index) => from + index);
  });
const niceOf = (tid: number) =>
  Number(run("ps", "-L", "-p", String(odd.pid), "-o", "lwp=,ni=").match(new RegExp(`^\\s*${tid}\\s+(-?\\d+)`, "m"))?.[1]);
const threads = () => run("ps", "-L", "-p", String(odd.pid), "-o", "lwp=").trim().split(/\s+/).map(Number);

describe("scheduling that was set is what chrt and taskset read", () => {
  test.each([
    ["FIFO", { policy: FIFO, prio: 42 }, "SCHED_FIFO"],
    ["RR", { policy: RR, prio: 1 }, "SCHED_RR"],
    ["BATCH", { policy: BATCH, prio: 0 }, "SCHED_BATCH"],
    ["IDLE", { policy: IDLE, prio: 0 }, "SCHED_IDLE"],
    ["OTHER", { policy: OTHER, prio: 0 }, "SCHED_OTHER"],
  ])("%s", (_name, expected, policy) => {
    const [, tid = 0] = threads();
    const settings = setTask({ pid: odd.pid, tid, ...expected, affinity: first() });
    expect(settings).toMatchObject({ ...expected, affinity: first() });
    expect(chrt(tid)).toEqual({ policy, prio: expected.prio });
    expect(affinityOf(tid)).toEqual(first());
    expect(setTask({ pid: odd.pid, tid, ...expected, affinity: cpus }).affinity).toEqual(cpus);
    expect(affinityOf(tid)).toEqual(cpus);
  });

  test("of one thread: the others stay unchanged; nice only where requested", () => {
    const [main = 0, tid = 0] = threads();
    const before = [chrt(main), affinityOf(main), niceOf(main)];
    setTask({ pid: odd.pid, tid, policy: OTHER, prio: 0, affinity: cpus, nice: 11 });
    expect(niceOf(tid)).toBe(11);
    expect(setTask({ pid: odd.pid, tid, policy: BATCH, prio: 0, affinity: cpus }).nice).toBe(11);
    expect([chrt(main), affinityOf(main), niceOf(main)]).toEqual(before);
  });

  test("it stays set to be closed in children", () => {
    const [, tid = 0] = threads();
    run("chrt", "-R", "-f", "-p", "5", String(tid));
    setTask({ pid: odd.pid, tid, policy: RR, prio: 6, affinity: cpus });
    expect(chrt(tid)).toEqual({ policy: "SCHED_RR|SCHED_RESET_ON_FORK", prio: 6 });
  });
});

describe("refusals have the kernel's reason and change nothing", () => {
  test.each([
    ["a priority that the policy has not", { policy: FIFO, prio: 0 }, {}, /EINVAL/],
    ["a priority for a policy without", { policy: OTHER, prio: 5 }, {}, /EINVAL/],
    ["a policy that does not exist", { policy: 77, prio: 0 }, {}, /EINVAL/],
    ["a CPU that does not exist", { policy: OTHER, prio: 0 }, { affinity: [8_000] }, /EINVAL/],
    ["a CPU beyond all kernels", { policy: OTHER, prio: 0 }, { affinity: [70_000] }, /EINVAL/],
  ])("%s", (_name, policy, others, reason) => {
    const [, , tid = 0] = threads();
    setTask({ pid: odd.pid, tid, policy: BATCH, prio: 0, affinity: cpus, nice: 3 });
    const attempt = () => setTask({ pid: odd.pid, tid, ...policy, affinity: first(), nice: 9, ...others });
    expect(attempt).toThrow(expect.objectContaining({ code: "bad_field", message: expect.stringMatching(reason) }));
    expect([chrt(tid), affinityOf(tid), niceOf(tid)]).toEqual([{ policy: "SCHED_BATCH", prio: 0 }, cpus, 3]);
  });

  test("a thread of another process, and one that has ended", async () => {
    const expected = { policy: OTHER, prio: 0, affinity: cpus };
    const notFound = expect.objectContaining({ code: "not_found" });
    expect(() => setTask({ pid: odd.pid, tid: process.pid, ...expected })).toThrow(notFound);
    const child = spawn("true");
    await once(child, "exit");
    expect(() => setTask({ pid: child.pid ?? 0, tid: child.pid ?? 0, ...expected })).toThrow(notFound);
  });
});
