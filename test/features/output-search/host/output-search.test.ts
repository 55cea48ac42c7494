import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { RunSpec } from "../../../../src/contract/run.ts";
import { HostRig, spec } from "../../../daemon/support/hosts.ts";
import { beginSearch, fetchHits, searched } from "./searches.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mgr-search-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const logged = (line: string, log: Partial<NonNullable<RunSpec["log_file"]>> = {}): RunSpec =>
  spec("p", line, { base_dir: folder, log_file: { path: "p.log", max_size: 1_048_576, max_files: 5, ...log } });

/** Runs the process to its end. */
async function ran(rig: HostRig, run: RunSpec): Promise<void> {
  await rig.event(await rig.spawn(run), "extinct");
}

describe("a search of the output of a host", () => {
  test("finds a coloured word in the ring, with its place", async () => {
    await using rig = await HostRig.open();
    await ran(rig, spec("p", "printf 'first\\n\\033[31mFai\\033[0mled to open\\nlast\\n'"));
    const { hits, end, searched: bytes } = await searched(rig, { pattern: "Failed", context: 1 });
    expect(hits).toMatchObject([
      { name: "p", offset: 7, file: null, line: "Failed to open", match: [0, 6], before: ["first"], after: ["last"], is_cut: false },
    ]);
    expect(hits[0]?.age_ms).toBeGreaterThanOrEqual(0);
    expect(end).toMatchObject({ stop: null, problems: [] });
    expect(bytes).toBe(7 + 9 + 16 + 6);
  });

  test("finds a line once that is in the ring and in the log file", async () => {
    await using rig = await HostRig.open();
    await ran(rig, logged("echo one needle; seq 1 1000; echo two needles"));
    const { hits } = await searched(rig, { pattern: "needle" });
    const path = join(folder, "p.log");
    expect(hits).toMatchObject([
      { line: "one needle", offset: 0, file: { path, position: 0 } },
      { line: "two needles", file: { path } },
    ]);
    expect(hits[1]?.offset).toBe(hits[1]?.file?.position);
  });

  test("finds what the ring no longer has in the rotated files, as grep does", async () => {
    await using rig = await HostRig.open();
    await ran(rig, logged("seq -f 'line %.0f' 1 200000", { max_size: 65_536, max_files: 50 }));
    const { hits } = await searched(rig, { pattern: "line [0-9]*777$", regex: true });
    const files = readdirSync(folder).map((file) => join(folder, file));
    const expected = execFileSync("grep", ["-hE", "line [0-9]*777.?$", ...files], { encoding: "utf8" });
    const numbers = (lines: string[]) => lines.map((line) => Number(line.replace(/\D/g, ""))).sort((a, b) => a - b);
    expect(hits.map(({ line }) => Number(line.slice(5)))).toEqual(numbers(expected.trim().split("\n")));
    expect(hits.length).toBe(200);
    expect(hits[0]).toMatchObject({ line: "line 777", offset: null, age_ms: expect.any(Number) });
  });

  test("neither loses nor repeats a line while the files rotate", async () => {
    await using rig = await HostRig.open();
    const run = await rig.spawn(logged("seq -f 'tick %.0f' 1 150000", { max_size: 32_768, max_files: 100 }));
    const ended = rig.event(run, "extinct");
    let isOver = false;
    void ended.then(() => {
      isOver = true;
    });
    const counts: number[] = [];
    for (let last = false; !last; ) {
      last = isOver;
      const { hits, end } = await searched(rig, { pattern: "00", limit: 100_000 });
      const numbers = hits.map(({ line }) => Number(line.slice(5))).filter((number) => number % 100 === 0);
      expect(end.problems).toEqual([]);
      expect(numbers).toEqual(numbers.map((_, n) => 100 * (n + 1)));
      counts.push(numbers.length);
    }
    expect(counts.at(-1)).toBe(1_500);
  });

  test("finds a line in the log file of a process that has not run under this daemon", async () => {
    await using rig = await HostRig.open();
    writeFileSync(join(folder, "old.log"), "yesterday's needle\n");
    const log_file = { path: "old.log", base_dir: folder, max_files: 2 };
    const { hits } = await searched(rig, { pattern: "needle", targets: [{ name: "q", log_file }] });
    expect(hits).toMatchObject([{ name: "q", line: "yesterday's needle", offset: null, age_ms: null }]);
  });

  test("the output of earlier runs that is in no file is found, and what is in both is found once", async () => {
    await using rig = await HostRig.open();
    await ran(rig, spec("p", "echo needle without a file"));
    writeFileSync(join(folder, "p.log"), "");
    await ran(rig, logged("echo needle with a file"));
    const { hits } = await searched(rig, { pattern: "needle" });
    expect(hits.map(({ line }) => line)).toEqual(["needle with a file", "needle without a file"]);
    appendFileSync(join(folder, "p.log"), "needle without a file\n");
    expect((await searched(rig, { pattern: "without" })).hits.length).toBe(1);
  });

  test("with an age, finds only newer output", async () => {
    await using rig = await HostRig.open();
    writeFileSync(join(folder, "p.log.1"), "needle of an earlier year\n");
    execFileSync("touch", ["-d", "2001-01-01", join(folder, "p.log.1")]);
    await ran(rig, logged("echo needle of now"));
    const found = async (ages: { since_ms?: number; until_ms?: number }) =>
      (await searched(rig, { pattern: "needle", ...ages })).hits.map(({ line }) => line);
    expect(await found({})).toEqual(["needle of an earlier year", "needle of now"]);
    expect(await found({ since_ms: 3_600_000 })).toEqual(["needle of now"]);
    expect(await found({ until_ms: 3_600_000 })).toEqual(["needle of an earlier year"]);
  });

  test("ends at the wanted number of hits, and says so", async () => {
    await using rig = await HostRig.open();
    await ran(rig, spec("p", "seq 1 1000"));
    const { hits, end } = await searched(rig, { pattern: "1", limit: 5 });
    expect([hits.length, end.stop]).toEqual([5, "hits"]);
  });

  test("ends when its processor time is used up, and says so", async () => {
    await using rig = await HostRig.open();
    await ran(rig, spec("p", "seq 1 1000"));
    expect((await searched(rig, { pattern: "no such line", cpu_ms: 0 })).end.stop).toBe("cpu_time");
  });

  test("ends when its hits are large, and every answer fits into a message", async () => {
    await using rig = await HostRig.open();
    writeFileSync(join(folder, "big.log"), `${"\u0001x".repeat(4_000)}\n`.repeat(2_000));
    const log_file = { path: "big.log", base_dir: folder, max_files: 1 };
    const search = await beginSearch(rig, { pattern: "x", context: 3, limit: 10_000, targets: [{ name: "q", log_file }] });
    for (;;) {
      const answer = await fetchHits(rig, search);
      expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThan(400 * 1024);
      if (answer.end === null) continue;
      expect(answer.end.stop).toBe("size");
      break;
    }
  });

  test("a pattern that makes other engines run for years leaves the host responsive", async () => {
    await using rig = await HostRig.open();
    writeFileSync(join(folder, "evil.log"), `${"a".repeat(1_000_000)}!\n`.repeat(5));
    const targets = [{ name: "q", log_file: { path: "evil.log", base_dir: folder, max_files: 1 } }];
    const order: string[] = [];
    const search = await beginSearch(rig, { pattern: "(a+)+$", regex: true, targets });
    const ended = fetchHits(rig, search).then(({ hits }) => order.push(`search ended with ${hits.length} hits`));
    await rig.host.request("tail", { session: rig.session, name: "p", lines: 1 }).then(() => order.push("another request was answered"));
    await ended;
    expect(order).toEqual(["another request was answered", "search ended with 0 hits"]);
  });

  test("refuses a pattern that would need backtracking, with its name", async () => {
    await using rig = await HostRig.open();
    await expect(searched(rig, { pattern: "a(?=b)", regex: true })).rejects.toMatchObject({
      code: "bad_field",
      message: expect.stringContaining("look-around: '(?='"),
    });
    expect((await searched(rig, { pattern: "a(?=b)" })).hits).toEqual([]);
  });

  test.each([
    ["a symbolic link", (path: string) => symlinkSync("/etc/passwd", path), "it is a symbolic link"],
    ["a named pipe", (path: string) => execFileSync("mkfifo", [path]), "it is not a regular file"],
    ["a folder", (path: string) => mkdirSync(path), "it is not a regular file"],
  ])("does not read %s in the place of a rotated file", async (_, put, reason) => {
    await using rig = await HostRig.open();
    put(join(folder, "p.log.1"));
    await ran(rig, logged("echo root of all"));
    const { hits, end } = await searched(rig, { pattern: "root" });
    expect(hits.map(({ line }) => line)).toEqual(["root of all"]);
    expect(end.problems).toEqual([expect.stringContaining(`p.log.1 was not searched: ${reason}`)]);
  });

  test("ends when it is cancelled, and with the session of its manager", async () => {
    await using rig = await HostRig.open();
    const cancelled = await beginSearch(rig, { pattern: "x" });
    await rig.host.request("cancel_search_output", { session: rig.session, search: cancelled });
    await expect(fetchHits(rig, cancelled)).rejects.toMatchObject({ code: "not_found" });
    const abandoned = await beginSearch(rig, { pattern: "x" });
    await rig.hello(2);
    await expect(fetchHits(rig, abandoned)).rejects.toMatchObject({ code: "not_found" });
  });

  test("has a bounded number of searches at the same time", async () => {
    await using rig = await HostRig.open();
    const names = await Promise.all(Array.from({ length: 8 }, () => beginSearch(rig, { pattern: "x" })));
    await expect(beginSearch(rig, { pattern: "x" })).rejects.toMatchObject({ code: "busy" });
    await rig.host.request("cancel_search_output", { session: rig.session, search: names[0] ?? "" });
    expect((await searched(rig, { pattern: "x" })).hits).toEqual([]);
  });
});
