import { execFileSync, spawnSync } from "node:child_process";
import {
  appendFileSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openLogFile, readLogFile } from "../../src/app/log-file.ts";
import { LineQueue } from "../../src/log/line-queue.ts";
import { LogBook } from "../../src/log/log-book.ts";
import { RotatedFile } from "../../src/log/rotated-file.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mgr-log-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const path = () => join(folder, "m.log");
const read = (file: string) => readFileSync(join(folder, file), "utf8");
const readIfThere = (file: string) => (existsSync(join(folder, file)) ? read(file) : "");
const lostLine = (count: number) => `lost ${count}\n`;

describe("a log file", () => {
  it("is rotated while it is written, between lines: never larger than allowed, and the newest lines are kept", async () => {
    const file = new RotatedFile({ path: path(), maxBytes: 1_000, lostLine });
    for (let n = 0; n < 500; n++) {
      file.write(`line ${n} ${"é".repeat(n % 40)}\n`);
      // In several turns, as a log comes.
      if (n % 7 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    // `close` waits a second for the disk, which may be too short on a loaded machine.
    await expect.poll(() => readIfThere("m.log")).toContain("line 499 ");
    await file.close();
    expect(readdirSync(folder).sort()).toEqual(["m.log", "m.log.1"]);
    for (const name of ["m.log", "m.log.1"]) expect(statSync(join(folder, name)).size).toBeLessThanOrEqual(1_000);
    expect(statSync(path()).mode & 0o777).toBe(0o600);
    const lines = (read("m.log.1") + read("m.log")).trimEnd().split("\n");
    const numbers = lines.map((line) => Number(line.split(" ")[1]));
    expect(numbers.at(-1)).toBe(499);
    expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] ?? 0) + index));
  });

  it.each([
    ["removed", (log: string) => rmSync(log)],
    ["set aside by another program", (log: string) => renameSync(log, `${log}.aside`)],
    [
      "removed with its folder, and the folder created again",
      (log: string) => {
        rmSync(dirname(log), { recursive: true });
        mkdirSync(dirname(log));
      },
    ],
  ])("that is %s is replaced by a new one", async (_, change) => {
    const file = new RotatedFile({ path: path(), lostLine });
    file.write("before\n");
    await expect.poll(() => read("m.log")).toBe("before\n");
    change(path());
    file.write("after\n");
    await expect.poll(() => readIfThere("m.log")).toBe("after\n");
    await file.close();
  });

  it("continues where the previous manager ended", async () => {
    for (const text of ["one\n", "two\n"]) {
      const file = new RotatedFile({ path: path(), lostLine });
      file.write(text);
      await expect.poll(() => readIfThere("m.log")).toContain(text);
      await file.close();
    }
    expect(read("m.log")).toBe("one\ntwo\n");
  });

  it("that is a named pipe is refused at once, with a reader too", () => {
    execFileSync("mkfifo", [path()]);
    expect(() => new RotatedFile({ path: path(), lostLine })).toThrow("is a named pipe");
    const reader = openSync(path(), constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      expect(() => new RotatedFile({ path: path(), lostLine })).toThrow("is a named pipe");
    } finally {
      closeSync(reader);
    }
  });

  it("of the manager holds a JSON object a line, with pino's level and the entry's id, time and source", async () => {
    const log = new LogBook({ capacity: 10, now: () => Date.UTC(2026, 10, 21) });
    const close = openLogFile(path(), log);
    const { id } = log.append({ level: "warning", source: "manager", msg: 'two\nlines "quoted"' });
    await expect.poll(() => readIfThere("m.log")).toMatch(/\n$/);
    await close();
    log.append({ level: "info", source: "manager", msg: "too late" });
    const lines = read("m.log").trimEnd().split("\n");
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({
      level: 40,
      id,
      ts: "2026-11-21T00:00:00.000",
      source: "manager",
      msg: 'two\nlines "quoted"',
      pid: process.pid,
    });
  });

  it("of the manager is read back by the next one, as far as its lines are whole", async () => {
    const log = new LogBook({ capacity: 10, now: () => Date.UTC(2026, 10, 21) });
    const close = openLogFile(path(), log, 1_000);
    const change = { process: "a", from: null, to: "started", by: null, reason: null } as const;
    for (let n = 1; n <= 8; n++) log.append({ level: "warning", source: "manager", msg: `entry\t${n}`, change });
    await expect.poll(() => readIfThere("m.log")).toMatch(/entry\\t8".*\n$/);
    await close();
    expect(readdirSync(folder)).toContain("m.log.1");
    appendFileSync(path(), '{"level":30,"msg":"a line without an id"}\n{"level":30,"id":17');
    const entries = await readLogFile(path(), 5);
    expect(entries).toEqual(log.entries().slice(-5));
    expect(await readLogFile(`${folder}/none.log`, 5)).toEqual([]);
  });

  it("on a full disk loses lines and reports how many", async () => {
    // A file system of its own that is full, in a mount namespace of its own; the sources are compiled by tsx.
    const script = `
      import { readFileSync, rmSync, writeFileSync } from "node:fs";
      import { RotatedFile } from "${new URL("../../src/log/rotated-file.ts", import.meta.url).pathname}";
      const file = new RotatedFile({ path: "${folder}/m.log", lostLine: (count) => "lost " + count + "\\n" });
      try { writeFileSync("${folder}/ballast", Buffer.alloc(1 << 20)); } catch {}
      // Closing waits until what was written has been tried, or a second for a disk that hangs; the next write opens the file again.
      for (let n = 0; n < 3; n++) { file.write("x".repeat(4096) + n + "\\n"); await file.close(); }
      rmSync("${folder}/ballast");
      file.write("room again\\n");
      const text = () => readFileSync("${folder}/m.log", "utf8").replace(/x+/g, "x");
      while (!text().endsWith("room again\\n")) await new Promise((resolve) => setTimeout(resolve, 10));
      await file.close();
      process.stdout.write(text());
    `;
    const done = spawnSync(
      "unshare",
      [
        "-rm",
        "sh",
        "-c",
        `mount -t tmpfs -o size=64k none ${folder} && exec "$@"`,
        "sh",
        process.execPath,
        "--import",
        "tsx",
        "-e",
        script,
      ],
      { encoding: "utf8", cwd: new URL("../..", import.meta.url).pathname },
    );
    expect(done.stderr).toBe("");
    expect(done.stdout).toContain("lost ");
    expect(done.stdout.endsWith("room again\n")).toBe(true);
  });
});

describe("a queue of lines", () => {
  it("holds a bounded number of bytes while writing hangs, waits a moment at its end, and counts dropped lines", async () => {
    let release = () => {};
    const stands = new Promise<void>((resolve) => {
      release = resolve;
    });
    const written: string[] = [];
    const queue = new LineQueue({
      lostLine,
      maxWaiting: 100,
      write: async (lines) => {
        if (written.length === 0) await stands;
        written.push(...lines);
        return lines.length;
      },
    });
    queue.push("first\n");
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    for (let n = 0; n < 1_000; n++) queue.push("0123456789\n");
    await queue.drained();
    expect(written).toEqual([]);
    release();
    await queue.drained();
    expect(written[0]).toBe("first\n");
    expect(written.filter((line) => line === "0123456789\n").length).toBeLessThanOrEqual(100 / 11);
    const lost = Number(/lost (\d+)/.exec(written.join(""))?.[1]);
    expect(lost + written.filter((line) => line === "0123456789\n").length).toBe(1_000);
  });

  it("writes the first line at once, and the lines of the next 50 ms together; at its end without delay", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    try {
      const written: string[] = [];
      const write = async (lines: readonly string[]) => {
        written.push(lines.join(""));
        return lines.length;
      };
      const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
      const queue = new LineQueue({ write, lostLine });
      for (const line of ["a", "b", "c"]) {
        queue.push(line);
        await turn();
        await turn();
      }
      expect(written).toEqual(["a"]);
      await vi.advanceTimersByTimeAsync(50);
      expect(written).toEqual(["a", "bc"]);
      queue.push("d");
      await turn();
      await turn();
      expect(written).toEqual(["a", "bc"]);
      await queue.drained();
      expect(written).toEqual(["a", "bc", "d"]);
    } finally {
      vi.useRealTimers();
    }
  });

  it("makes a line when it is written or taken, and counts the length that it says before", async () => {
    const written: string[] = [];
    const queue = new LineQueue({
      lostLine,
      maxWaiting: 10,
      write: async (lines) => {
        written.push(...lines);
        return lines.length;
      },
    });
    const made: string[] = [];
    const late = (text: string, length = text.length) => ({
      length,
      text: () => {
        made.push(text);
        return text;
      },
    });
    queue.push(late("one"));
    queue.push(late("too long for the queue", 8));
    expect(queue.waiting).toBe(3);
    expect(made).toEqual([]);
    await queue.drained();
    expect(made).toEqual(["one"]);
    expect(written).toEqual(["lost 1\n", "one"]);
    queue.push(late("last"));
    expect(queue.take()).toBe("last");
    await queue.drained();
    expect(made).toEqual(["one", "last"]);
  });

  it("writes everything once and in order, or reports what is missing, whatever fails", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: -1, max: 3 }), { maxLength: 20 }), fc.nat(30), async (outcomes, count) => {
        const written: string[] = [];
        const plan = [...outcomes];
        const queue = new LineQueue({
          lostLine,
          write: async (lines) => {
            const outcome = plan.shift() ?? 100;
            if (outcome < 0) throw new Error("no");
            const taken = Math.max(1, Math.min(outcome, lines.length));
            written.push(...lines.slice(0, taken));
            return taken;
          },
        });
        for (let n = 0; n < count; n++) {
          queue.push(`${n}\n`);
          if (n % 5 === 4) await queue.drained();
        }
        await queue.drained();
        plan.length = 0;
        queue.push("last\n");
        await queue.drained();
        const numbers = written.filter((line) => /^\d/.test(line)).map(Number);
        expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
        const lost = written.reduce((sum, line) => sum + Number(/lost (\d+)/.exec(line)?.[1] ?? 0), 0);
        expect(numbers.length + lost).toBe(count);
        expect(written.at(-1)).toBe("last\n");
      }),
    );
  });
});
