// Seconds from a change of a source file until `npm run test:changed` has run the tests nearest to it, for five files of different folders, in a copy of
// the project. Each file is run once before, so that what has not changed is transformed already. Peer: vitest with an empty test, in the same rounds.
// MGR_BENCH_ROUNDS is how many. `npx tsx bench/developer-loop.ts`
import { spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
// @ts-expect-error: JavaScript without types.
import { copyWithout } from "../scripts/checks/feature-removal.js";
import { endedChildrenCpuMs } from "./support/cpu.ts";
import { percentile, printFigure, rounded } from "./support/figure.ts";

const ROUNDS = Number(process.env.MGR_BENCH_ROUNDS ?? 3);
const FILES = [
  "src/actors/process/process-machine.ts",
  "src/daemon/output/output-ring.ts",
  "src/transport/outbox.ts",
  "src/features/limits/manager/limits.ts",
  "web/src/tree/tree-rows.ts",
];
const EMPTY = "test/base/empty.test.ts";

const folder = mkdtempSync(join(tmpdir(), "mgr-bench-"));
const copy = join(folder, "copy");
const seconds = new Map<string, number[]>();
const processorSeconds = new Map<string, number[]>();

/** Runs a program of the copy; with `name`, what it takes is kept. */
function run(words: readonly string[], name: string | null): void {
  const [begin, cpu] = [performance.now(), endedChildrenCpuMs()];
  const { status, stdout, stderr } = spawnSync(process.execPath, words, {
    cwd: copy,
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1" },
  });
  if (status !== 0 || !/Tests +\d+ passed/.test(stdout)) throw new Error(`${words.join(" ")}:\n${stdout}${stderr}`);
  if (name === null) return;
  seconds.set(name, [...(seconds.get(name) ?? []), (performance.now() - begin) / 1_000]);
  processorSeconds.set(name, [...(processorSeconds.get(name) ?? []), (endedChildrenCpuMs() - cpu) / 1_000]);
}

const near = (file: string) => ["scripts/near-tests.js", file];
const empty = ["node_modules/vitest/vitest.mjs", "run", "--project", "unit*", EMPTY];

try {
  mkdirSync(copy);
  copyWithout([], copy);
  writeFileSync(join(copy, EMPTY), 'import { expect, test } from "vitest";\ntest("nothing", () => expect(1).toBe(1));\n');
  for (const words of [empty, ...FILES.map(near)]) run(words, null);
  for (let round = 0; round < ROUNDS; round++) {
    run(empty, EMPTY);
    for (const file of FILES) {
      appendFileSync(join(copy, file), `// ${round}\n`);
      run(near(file), file);
    }
  }
} finally {
  rmSync(folder, { recursive: true });
}

const median = (values: ReadonlyMap<string, readonly number[]>, name: string) => rounded(percentile(values.get(name) ?? [], 0.5), 1);
const each = (values: ReadonlyMap<string, readonly number[]>) => Object.fromEntries(FILES.map((file) => [file, median(values, file)]));
printFigure({
  figure: "developer-loop",
  unit: "s from a change of a file until its nearest tests have passed, median of the slowest of five files",
  value: Math.max(...FILES.map((file) => median(seconds, file))),
  peer: "vitest with an empty test",
  peer_value: median(seconds, EMPTY),
  seconds: each(seconds),
  processor_seconds: { ...each(processorSeconds), empty: median(processorSeconds, EMPTY) },
});
