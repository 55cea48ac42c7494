import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Backtraces } from "../../../../src/features/crash-reports/host/backtrace.ts";

// The debugger is a script here: a real core dump needs kernel.core_pattern to name a file, which machines of CI do not.

/** The user that the debugger is run as: never root. */
const OWN = process.geteuid?.() ?? 0;
const UID = OWN === 0 ? 65_534 : OWN;
const CORE = { executable: "/srv/sim/world", core: "/srv/sim/core 1", uid: UID, gid: UID };
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mgr-gdb-"));
  chmodSync(folder, 0o755);
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A program that stands in for gdb. */
function gdb(script: string): Backtraces {
  const path = join(folder, "gdb");
  writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return new Backtraces(path);
}

test("gdb is run as the user of the process, at low priority, with limits, without init files, and gets program and core dump", async () => {
  const { backtrace, backtrace_problem } = await gdb(
    'echo "#0 $# $(id -u) $(nice) $(ulimit -t) $(ulimit -v) $(ulimit -c)"; for each; do echo "$each"; done; env | sort',
  ).of(CORE);
  expect(backtrace_problem).toBeNull();
  const [first, ...rest] = backtrace?.text.split("\n") ?? [];
  // In a user namespace of its own it has the number of the user whom nobody is mapped to.
  expect(first).toMatch(new RegExp(`^#0 11 (${UID}|65534) 19 20 2097152 0$`));
  expect(rest.slice(0, 11)).toEqual([
    "-batch",
    "-nx",
    "-iex",
    "set auto-load off",
    "-iex",
    "set debuginfod enabled off",
    "-ex",
    "thread apply all bt",
    "--",
    "/srv/sim/world",
    "/srv/sim/core 1",
  ]);
  expect(rest.slice(11).filter((line) => !/^(HOME|LC_ALL|PATH|PWD|TERM|OLDPWD|_|SHLVL)=/.test(line))).toEqual([]);
});

test("output without end is cut, and the debugger is ended", async () => {
  const { backtrace } = await gdb('while :; do echo "#0 and so on and so on and so on"; done').of(CORE);
  expect(backtrace?.truncated).toBe(true);
  expect(backtrace?.text.length).toBeLessThanOrEqual(128 * 1024);
});

test("backtraces are made one at a time", async () => {
  const traces = gdb(`mkdir ${folder}/busy || exit 1; echo "#0 alone"; rmdir ${folder}/busy`);
  chmodSync(folder, 0o777);
  const made = await Promise.all([traces.of(CORE), traces.of(CORE), traces.of(CORE)]);
  expect(made.map(({ backtrace }) => backtrace?.text)).toEqual(["#0 alone", "#0 alone", "#0 alone"]);
});

test("a debugger that fails, or finds nothing, is a reason and no backtrace", async () => {
  expect(await gdb("echo 'not in executable format' >&2; exit 1").of(CORE)).toEqual({
    backtrace: null,
    backtrace_problem: "gdb found no backtrace (code 1): not in executable format",
  });
  expect(await new Backtraces(join(folder, "none")).of(CORE)).toMatchObject({ backtrace: null, backtrace_problem: expect.any(String) });
  expect(await new Backtraces(null).of(CORE)).toMatchObject({ backtrace_problem: "gdb is not installed on this host" });
});

test("a debugger that runs is ended with the daemon", async () => {
  const traces = gdb(`mkdir ${folder}/running; exec sleep 1000`);
  chmodSync(folder, 0o777);
  const trace = traces.of(CORE);
  await expect.poll(() => existsSync(join(folder, "running"))).toBe(true);
  traces.close();
  expect((await trace).backtrace).toBeNull();
});

test("gdb is never run as root, nor as another user where the daemon may not become one", () => {
  const traces = new Backtraces("/usr/bin/gdb");
  expect(traces.obstacle({ executable: "/bin/true", uid: 0 })).toContain("root");
  expect(traces.obstacle({ executable: null, uid: UID })).toContain("not known");
  expect(traces.obstacle({ executable: "/bin/true", uid: UID })).toBeNull();
});
