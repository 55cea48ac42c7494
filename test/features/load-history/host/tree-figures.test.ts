import { expect, test } from "vitest";
import type { ProcessStat } from "../../../../src/daemon/proc/process-stat.ts";
import { type CgroupReading, TreeFigures } from "../../../../src/features/load-history/host/tree-figures.ts";
import type { Member } from "../../../../src/features/load-history/host/tree-reader.ts";

const stat = { pid: 1, ppid: 0, startTime: "1", ticks: 5, childTicks: 0, majorFaults: 0, childMajorFaults: 0, threads: 1, rssPages: 1 };
const figures = { readBytes: 0, writtenBytes: 0, contextSwitches: 1, descriptors: 3 };
const member = (at: number, readAt: number): Member => ({ stat: stat as ProcessStat, figures, at, readAt });
const cgroup: CgroupReading = {
  folder: "/run",
  figures: { cpuMs: 50, memory: 4_096_000, readBytes: 0, writtenBytes: 0, processes: 1 },
  at: 1_001,
};
const moment = (at: number) => ({ at, ticks: at / 10 });

test("the cgroup of a tree is read again only when one of its processes has run, ended or begun", () => {
  const tree = new TreeFigures();
  expect(tree.unchangedCgroup([member(1_000, 1_000)], 1_001)).toBeNull();
  tree.measure([member(1_000, 1_000)], moment(1_000), null, cgroup);
  expect(tree.unchangedCgroup([member(11_000, 1_000)], 11_001)).toEqual({ ...cgroup, at: 11_001 });
  expect(tree.unchangedCgroup([member(11_000, 11_000)], 11_001)).toBeNull();
  expect(tree.unchangedCgroup([member(11_000, 1_000), member(11_000, 11_000)], 11_001)).toBeNull();
});

test("a tree that has not run has the memory of its cgroup and no CPU time", () => {
  const tree = new TreeFigures();
  tree.measure([member(1_000, 1_000)], moment(1_000), null, cgroup);
  const [cpu, memory, , , read] = tree.measure([member(11_000, 1_000)], moment(11_000), null, cgroup);
  expect({ cpu, memory, read }).toEqual({ cpu: 0, memory: 4_096_000, read: 0 });
});

test("what a tree uses after a rest is not spread over the rest", () => {
  const tree = new TreeFigures();
  tree.measure([member(1_000, 1_000)], moment(1_000), null, cgroup);
  tree.measure([member(11_000, 1_000)], moment(11_000), null, tree.unchangedCgroup([member(11_000, 1_000)], 11_001));
  const busy = { ...cgroup, figures: { ...cgroup.figures, cpuMs: 5_050, readBytes: 1_000 }, at: 21_001 };
  const [cpu, , , , read] = tree.measure([member(21_000, 21_000)], moment(21_000), null, busy);
  expect({ cpu, read }).toEqual({ cpu: 50, read: 100 });
});

test("a tree that rests for minutes has the same figures all the time, and what it uses then is that of the last 10 s", () => {
  const tree = new TreeFigures();
  const rest = (at: number) => {
    const members = [member(at, 1_000)];
    return tree.measure(members, moment(at), null, tree.unchangedCgroup(members, at + 1) ?? cgroup);
  };
  rest(1_000);
  const first = rest(11_000);
  expect(first).toEqual([0, 4_096_000, 1, 3, 0, 0, 0, 0]);
  for (let at = 21_000; at <= 301_000; at += 10_000) expect(rest(at)).toEqual(first);
  expect(tree.before).toEqual(moment(301_000));
  const stat = { ...member(0, 0).stat, ticks: 105, majorFaults: 20 };
  const ran: Member = { stat, figures: { ...figures, contextSwitches: 51 }, at: 311_000, readAt: 311_000 };
  const busy = { ...cgroup, figures: { ...cgroup.figures, cpuMs: 1_050, readBytes: 5_000 }, at: 311_001 };
  expect(tree.measure([ran], moment(311_000), null, busy)).toEqual([10, 4_096_000, 1, 3, 500, 0, 5, 2]);
});

test("a tree without a cgroup of its own that rests has no CPU time, and afterwards that of the last 10 s", () => {
  const tree = new TreeFigures();
  for (let at = 1_000; at <= 301_000; at += 10_000) tree.measure([member(at, 1_000)], moment(at), null, null);
  const ran: Member = { stat: { ...member(0, 0).stat, ticks: 505 }, figures, at: 311_000, readAt: 311_000 };
  expect(tree.measure([ran], moment(311_000), null, null)[0]).toBe(50);
});
