import { truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { conforms } from "../../contract/check.ts";
import { runDocument } from "../support/document-commands.ts";
import { Instance } from "../support/instance.ts";
import { sh } from "../support/shell.ts";
import { eventually } from "../support/wait.ts";

let instance: Instance;

beforeAll(async () => {
  instance = new Instance({
    hosts: { away: {} },
    processes: {
      "sim/world": { command: sh("seq -f 'step %.0f' 1 200; exit 0"), log_file: "logs/world.log" },
      "sim/viewer": { command: sh("printf '\\033[31mError\\033[0m: no display\\n'; exit 0") },
      "sim/zeros": { command: sh("exit 0"), log_file: "zeros.log" },
      "robot/arm": { command: "sleep 1000", node: "away" },
    },
  });
  await instance.mgr("up", "--detach");
  await instance.mgr("start", "sim");
});
afterAll(() => instance?.[Symbol.asyncDispose]());

const grep = (...words: string[]) => instance.run("grep", ...words, "-c", instance.config);

describe("mgr grep", () => {
  test("prints the lines with their process; its exit code is 0", async () => {
    expect(await grep("step 77", "sim")).toMatchObject({ code: 0, stdout: "sim/world: step 77\n", stderr: "" });
    expect(await grep("-i", "ERROR: NO", "sim/*")).toMatchObject({ code: 0, stdout: "sim/viewer: Error: no display\n" });
  });

  test("prints the lines around a hit", async () => {
    const { stdout } = await grep("-E", "^step 1?99$", "-C", "1", "sim/world");
    expect(stdout.split("\n").slice(0, -1)).toEqual([
      ...["sim/world- step 98", "sim/world: step 99", "sim/world- step 100"],
      ...["sim/world- step 198", "sim/world: step 199", "sim/world- step 200"],
    ]);
  });

  test("its exit code is 1 without hits, and 2 after an error", async () => {
    expect(await grep("no such line", "sim")).toMatchObject({ code: 1, stdout: "" });
    expect(await grep("-E", "a(?=b)", "sim")).toMatchObject({ code: 2, stderr: expect.stringContaining("look-around") });
    expect(await grep("step", "no-such-process")).toMatchObject({ code: 2, stderr: expect.stringContaining("no-such-process") });
  });

  test("names a host that is away, prints the hits of the others and ends with 2", async () => {
    const { code, stdout, stderr } = await grep("step 77");
    expect([code, stdout]).toEqual([2, "sim/world: step 77\n"]);
    expect(stderr).toMatch(/^mgr: away was not searched: the daemon of host 'away' cannot be reached/);
  });

  test("Ctrl-C ends the search with exit code 2", async () => {
    const path = join(instance.dir, "zeros.log");
    writeFileSync(path, `needle\n${"x\n".repeat(1_000_000)}`);
    // Too large to be searched within the processor time of a search.
    truncateSync(path, 2 ** 40);
    const command = instance.start("grep", "needle", "sim/zeros", "-c", instance.config);
    await eventually("it prints a hit", () => command.stdout.includes("needle"));
    command.child.kill("SIGINT");
    expect(await command.ended).toMatchObject({ code: 2, stdout: "sim/zeros: needle\n", stderr: "" });
    // Later searches would read it until their processor time is used up.
    truncateSync(path, 0);
  });

  test("--json prints the protocol's hits", async () => {
    const { stdout } = await grep("--json", "step 7", "--limit", "3");
    const hits = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as object);
    expect(hits.length).toBe(3);
    expect(hits.flatMap((hit) => conforms("output hit", hit))).toEqual([]);
  });
});

describe("mgr logs", () => {
  test("--run prints one run of a process, and says which there are", async () => {
    await instance.mgr("restart", "sim/viewer");
    const logs = (...words: string[]) => instance.run("logs", "sim/viewer", ...words, "-c", instance.config);
    const one = "\x1b[31mError\x1b[0m: no display\r\n";
    expect(await logs("--run", "-1")).toMatchObject({ code: 0, stdout: one });
    expect(await logs("--run", "2")).toMatchObject({ code: 0, stdout: one });
    expect(await logs()).toMatchObject({ stdout: one + one });
    expect(await logs("--run", "-7")).toMatchObject({ code: 3, stderr: expect.stringContaining("runs 1 to 2 are known") });
  });

  test("--timestamps prints the time before each line, of several processes in the order of time", async () => {
    const { stdout } = await instance.mgr("logs", "--timestamps", "-n", "2", "sim/world", "sim/viewer");
    const line = /^\d{4}-\d{2}-\d{2}T[\d:.]{12} sim\/(?:world |viewer) \| /;
    const lines = stdout.trimEnd().split("\n");
    expect(lines.length).toBe(4);
    expect(lines.filter((each) => !line.test(each))).toEqual([]);
    expect(lines.map((each) => each.slice(0, 23))).toEqual(lines.map((each) => each.slice(0, 23)).toSorted());
  });
});

test("the commands of docs/output.md run", async () => {
  const outcomes = await runDocument(instance, "docs/output.md");
  expect(outcomes.length).toBeGreaterThan(5);
  for (const { line, code, stdout } of outcomes) {
    // A search of all hosts names the one that is away.
    expect([line, [0, 2].includes(code)]).toEqual([line, true]);
    expect(stdout, line).not.toBe("");
  }
});
