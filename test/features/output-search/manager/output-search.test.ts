import { mkdtempSync, readdirSync, readlinkSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createManager } from "../../../../src/app/index.ts";
import type { ManagerClient } from "../../../../src/client/manager-client.ts";
import type { OutputSearchOptions, OutputSearchSummary } from "../../../../src/features/output-search/client/search-output.ts";
import { runOfOutput } from "../../../../src/features/output-search/manager/run-of-output.ts";
import type { OutputHit } from "../../../../src/features/output-search/wire.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mgr-search-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function found(
  client: Pick<ManagerClient, "searchOutput">,
  pattern: string,
  options: OutputSearchOptions = {},
): Promise<{ hits: OutputHit[]; summary: OutputSearchSummary }> {
  const search = client.searchOutput(pattern, options);
  const hits: OutputHit[] = [];
  for (;;) {
    const { done, value } = await search.next();
    if (done) return { hits, summary: value };
    hits.push(value);
  }
}

/** Number of descriptors of this program, which contains the host, that lead to a file. */
function descriptorsOf(path: string): number {
  const target = (fd: string) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return ""; // Closed meanwhile.
    }
  };
  return readdirSync("/proc/self/fd").filter((fd) => target(fd) === path).length;
}

const job = (line: string) => ({ command: ["/bin/sh", "-c", `${line}; exit 0`] });

describe("a search of output", () => {
  test("finds lines of processes and groups, with host, run and time", async () => {
    await using manager = await createManager({
      processes: { "a/one": job("echo needle 1"), "a/two": job("echo needle 2"), b: job("echo needle 3") },
    });
    for (const name of ["a/one", "a/two", "b", "b"]) {
      await manager.process(name).start();
      await manager.process(name).waitFor("stopped");
    }
    const { hits, summary } = await found(manager, "needle");
    const [host] = (await manager.snapshot()).hosts;
    expect(hits.map(({ name, line, run }) => [name, line, run?.number])).toEqual([
      ["a/one", "needle 1", 1],
      ["a/two", "needle 2", 1],
      ["b", "needle 3", 1],
      ["b", "needle 3", 2],
    ]);
    expect(hits[0]).toMatchObject({ host, time: expect.stringMatching(/^\d{4}-/), place: { offset: 0 } });
    expect(summary).toMatchObject({ hits: 4, cancelled: false, truncated: [], unanswered: [], problems: [] });
    const names = async (options: OutputSearchOptions) => (await found(manager, "needle", options)).hits.map(({ name }) => name);
    expect(await names({ names: ["a"] })).toEqual(["a/one", "a/two"]);
    expect(await names({ patterns: ["*o*"] })).toEqual(["a/one", "a/two"]);
    await expect(names({ names: ["c"] })).rejects.toMatchObject({ code: "not_found" });
  });

  test("a connection that views one group searches there only", async () => {
    await using manager = await createManager({ processes: { "a/one": job("echo needle"), b: job("echo needle") } });
    for (const name of ["a/one", "b"]) await manager.process(name).start();
    for (const name of ["a/one", "b"]) await manager.process(name).waitFor("stopped");
    const focused = manager.connect({ single_group: "a" });
    expect((await found(focused, "needle")).hits.map(({ name }) => name)).toEqual(["a/one"]);
    expect((await found(focused, "needle", { patterns: ["*"] })).hits.map(({ name }) => name)).toEqual(["a/one"]);
    await expect(found(focused, "needle", { names: ["b"] })).rejects.toMatchObject({ code: "out_of_scope" });
    await expect(found(manager.connect({ log_only: true }), "needle")).rejects.toMatchObject({ code: "out_of_scope" });
  });

  test("names a host that is away, and gives the hits of the others", async () => {
    const processes = { here: job("echo needle"), there: { command: "echo needle", node: "away" } };
    await using manager = await createManager({ hosts: { away: {} }, processes });
    await manager.process("here").start();
    await manager.process("here").waitFor("stopped");
    const { hits, summary } = await found(manager, "needle");
    expect(hits.map(({ name }) => name)).toEqual(["here"]);
    expect(summary.unanswered).toEqual([{ host: "away", reason: expect.stringContaining("host 'away'") }]);
  });

  test("refuses a pattern that cannot be used, with the construct, and one with a line end", async () => {
    await using manager = await createManager({ processes: { here: job("echo needle") } });
    const refused = { code: "bad_field", message: expect.stringContaining("a back-reference: '\\1'") };
    await expect(found(manager, "(a)\\1", { regex: true })).rejects.toMatchObject(refused);
    await expect(found(manager, "a\nb")).rejects.toMatchObject({ code: "bad_field" });
  });

  test("ends at the limit of all hosts together, and names it", async () => {
    await using manager = await createManager({ processes: { many: job("seq 1 1000"), more: job("seq 1 1000") } });
    for (const name of ["many", "more"]) await manager.process(name).start();
    for (const name of ["many", "more"]) await manager.process(name).waitFor("stopped");
    const { hits, summary } = await found(manager, "1", { limit: 350 });
    expect(hits.length).toBe(350);
    expect(summary.truncated).toEqual([{ host: expect.any(String), by: "hits" }]);
  });

  test("ends at the host when its client goes away, and when it is aborted", async () => {
    const path = join(folder, "zeros.log");
    writeFileSync(path, "");
    // Too large to be searched within the processor time of a search.
    truncateSync(path, 2 ** 40);
    const processes = { p: { command: "echo", log_file: path } };
    await using manager = await createManager({ processes }, { baseDir: folder });
    let isSettled = false;
    const abort = new AbortController();
    const kept = found(manager, "needle", { signal: abort.signal }).finally(() => {
      isSettled = true;
    });
    kept.catch(() => undefined);
    await expect.poll(() => descriptorsOf(path)).toBe(1);
    const leaving = manager.connect();
    const left = found(leaving, "needle");
    left.catch(() => undefined);
    await expect.poll(() => descriptorsOf(path)).toBe(2);
    leaving.close();
    await expect.poll(() => descriptorsOf(path)).toBe(1);
    expect(isSettled).toBe(false);
    abort.abort(new Error("no longer wanted"));
    await expect(kept).rejects.toThrow("no longer wanted");
    await expect(left).rejects.toMatchObject({ code: "host_unavailable" });
    await expect.poll(() => descriptorsOf(path)).toBe(0);
  });

  test("a loop that ends early ends the search, and a third one at the same time is refused", async () => {
    const path = join(folder, "zeros.log");
    writeFileSync(path, `needle\n${"x\n".repeat(1_000_000)}`);
    truncateSync(path, 2 ** 40);
    const processes = { p: { command: "echo", log_file: path } };
    await using manager = await createManager({ processes }, { baseDir: folder });
    const searches = [manager.searchOutput("needle"), manager.searchOutput("needle")];
    for (const search of searches) expect((await search.next()).value).toMatchObject({ line: "needle", file: { path, position: 0 } });
    await expect(found(manager, "needle")).rejects.toMatchObject({ code: "busy" });
    for (const search of searches)
      await search.return({ hits: 0, searched: 0, cancelled: true, truncated: [], unanswered: [], problems: [] });
    await expect.poll(() => descriptorsOf(path)).toBe(0);
  });
});

describe("the run of a place in the output", () => {
  const run = (number: number, offset: number | null, stream_id = "s") => ({
    run_id: `1-${number}`,
    number,
    output_end: offset === null ? null : { offset, stream_id },
  });
  test.each([
    ["the first run", [run(2, null), run(1, 10)], 9, 1],
    ["the run after the end of another", [run(2, null), run(1, 10)], 10, 2],
    ["unknown before the oldest known run", [run(9, null), run(8, 100), run(7, 50)], 20, null],
    ["known after the end of the oldest known run", [run(9, null), run(8, 100), run(7, 50)], 60, 8],
    ["unknown after a run whose end is not known", [run(3, null), run(2, null), run(1, 10)], 20, null],
    ["the first run under another daemon", [run(2, 100), run(1, 500, "earlier")], 20, 2],
  ])("is %s", (_, history, offset, number) => {
    expect(runOfOutput(history, { offset, stream_id: "s" })?.number ?? null).toBe(number);
  });
});
