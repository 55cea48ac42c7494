import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { parseStat } from "../../../src/daemon/proc/process-stat.ts";

const FIELDS = 50;
const number = fc.bigInt(0n, 2n ** 64n - 1n);

test("any name and any numbers are parsed back", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 2 ** 22 }),
      fc.uint8Array({ max: 64 }),
      fc.constantFrom(..."RSDZTtXI"),
      fc.array(number, { minLength: FIELDS - 1, maxLength: FIELDS - 1 }),
      (id, comm, state, numbers) => {
        const line = Buffer.concat([Buffer.from(`${id} (`), comm, Buffer.from(`) ${[state, ...numbers].join(" ")}\n`)]);
        const at = (field: number) => Number(numbers[field - 1]);
        expect(parseStat(line)).toEqual({
          pid: id,
          comm: Buffer.from(comm).toString(),
          state,
          ended: state === "X" || (state === "Z" && numbers[16] !== undefined && numbers[16] <= 1n),
          ppid: at(1),
          session: at(3),
          tty: at(4),
          ticks: at(11) + at(12),
          childTicks: at(13) + at(14),
          rssPages: at(21),
          nice: at(16),
          threads: at(17),
          startTime: String(numbers[18]),
          processor: at(36),
          prio: at(37),
          policy: at(38),
        });
      },
    ),
  );
});

test("any other line is not a task", () => {
  const pieces = fc.oneof(
    fc.uint8Array({ max: 80 }),
    fc.constantFrom("1 (", ")", ") S ", "1 (a) S 1 1", " 7 ").map((text) => Buffer.from(text)),
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
      const stat = parseStat(Buffer.concat(parts));
      if (stat === null) return;
      for (const value of [stat.pid, stat.ticks, stat.threads, stat.policy]) expect(value).not.toBeNaN();
    }),
  );
});

test("a truncated line is not a task", () => {
  const line = readFileSync("/proc/self/stat");
  const nameEnd = line.lastIndexOf(")");
  for (let length = 0; length < nameEnd + 60; length++) expect(parseStat(line.subarray(0, length))).toBeNull();
});

test("every task of this machine can be parsed", () => {
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    let line: Buffer;
    try {
      line = readFileSync(`/proc/${pid}/stat`);
    } catch {
      continue; // It ended while we looked.
    }
    expect(parseStat(line)).toMatchObject({ pid: Number(pid) });
  }
});
