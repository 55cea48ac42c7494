import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { KernelLog } from "../../../../src/features/crash-reports/host/kernel-log.ts";
import { parseRecord, pidsNamedIn } from "../../../../src/features/crash-reports/host/kernel-record.ts";
import { anyText } from "../../../support/any-text.ts";

const MACHINE = () => "pid:[4026531836]";
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mgr-kmsg-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("any text of a record is read as it is, whatever follows it", () => {
  const text = anyText().map((value) => value.replaceAll("\n", " "));
  fc.assert(
    fc.property(fc.nat(191), fc.nat(), fc.nat(), text, text, (priority, sequence, micros, line, more) => {
      const record = `${priority},${sequence},${micros},-;${line}\n SUBSYSTEM=${more}\n`;
      expect(parseRecord(record)).toEqual({ micros, text: line.slice(0, 1_000) });
    }),
  );
});

test("what is not a record is none", () => {
  fc.assert(
    fc.property(anyText(), (text) => {
      const record = parseRecord(text);
      expect(record === null || /^\d+,\d+,\d+,/.test(text)).toBe(true);
    }),
  );
});

test("a line names a pid where the kernel writes one, and no other number", () => {
  const pids = fc.integer({ min: 1, max: 4_194_304 });
  const lines = (pid: number) => [
    `world[${pid}]: segfault at 10 ip 000055eeeeac8175 sp 00007fff96d6aa70 error 6 in crash[1175,55eeeeac8000+1000]`,
    `traps: world[${pid}] general protection fault ip:55 sp:7f error:0`,
    `Out of memory: Killed process ${pid} (world) total-vm:99991234kB, anon-rss:12kB`,
    `oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),task=world,pid=${pid},uid=1000`,
  ];
  fc.assert(fc.property(pids, (pid) => lines(pid).every((line) => pidsNamedIn(line).includes(pid))));
  expect(pidsNamedIn("Killed something of 4711 kB at ffff4711")).toEqual([]);
  expect(pidsNamedIn("world[47110]: segfault")).not.toContain(4_711);
});

test("lines that name the pid are found within the time of the run", async () => {
  const path = join(folder, "kmsg");
  const micros = Number(process.hrtime.bigint() / 1_000n);
  writeFileSync(path, `4,7,${micros},-;world[4711]: segfault at 10\n`);
  const log = new KernelLog({ path, pidNamespace: MACHINE });
  const now = Date.now();
  const { lines, log_problem } = await log.lines({ pid: 4_711, from: now - 1_000, until: now });
  expect(log_problem).toBeNull();
  expect(lines).toEqual([{ time: expect.any(String), text: "world[4711]: segfault at 10" }]);
  expect(Math.abs(Date.parse(`${lines[0]?.time}Z`) - now)).toBeLessThan(10_000);
  expect((await log.lines({ pid: 4_712, from: now, until: now })).lines).toEqual([]);
  // The same pid was given to another process an hour later.
  expect((await log.lines({ pid: 4_711, from: now + 3_600_000, until: now + 3_600_000 })).lines).toEqual([]);
  log.close();
});

test("a kernel log that cannot be read is named, and so is one of another pid namespace", async () => {
  const span = { pid: 1, from: 0, until: 0 };
  const missing = new KernelLog({ path: join(folder, "none"), pidNamespace: MACHINE });
  expect(await missing.lines(span)).toMatchObject({ lines: [], log_problem: expect.stringContaining("ENOENT") });
  const contained = new KernelLog({ path: join(folder, "none"), pidNamespace: () => "pid:[4026532000]" });
  expect(await contained.lines(span)).toMatchObject({ log_problem: expect.stringContaining("container") });
});

test("a named pipe in place of the kernel's log is not waited for", async () => {
  const path = join(folder, "pipe");
  execFileSync("mkfifo", [path]);
  const log = new KernelLog({ path, pidNamespace: MACHINE });
  expect(await log.lines({ pid: 1, from: 0, until: 0 })).toEqual({ lines: [], log_problem: null });
  log.close();
});
