// Milliseconds of `mgr up --detach`, `mgr ps` at once and again a second later, `mgr --version` and `mgr down`, each until the command has ended.
// Peers in the same rounds: `node -e 0`, and the floor of `up`: one Node program that starts another one and waits until that has parsed the same
// file with the same library, without any check, manager or daemon. `npx tsx bench/start-up.ts`; MGR_BENCH_COUNT is the number of processes (1),
// MGR_BENCH_AUTOSTART=0 starts none of them, MGR_BENCH_ROUNDS the number of rounds (15).
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { percentile, printFigure, rounded, sleep } from "./support/figure.ts";

const ROUNDS = Number(process.env.MGR_BENCH_ROUNDS ?? 15);
const COUNT = Number(process.env.MGR_BENCH_COUNT ?? 1);
const AUTOSTART = process.env.MGR_BENCH_AUTOSTART !== "0";
const PROGRAM = process.env.MGR_BENCH_PROGRAM ?? fileURLToPath(new URL("../bin/mgr.js", import.meta.url));

const dir = mkdtempSync(join(tmpdir(), "mgr-bench-"));
const runtime = join(dir, "run");
mkdirSync(runtime, { mode: 0o700 });
const entries = Array.from({ length: COUNT }, (_, index) => `  g/p${index}:\n    command: sleep 1000\n    autostart: ${AUTOSTART}\n`);
writeFileSync(join(dir, "mgr.yaml"), `instance:\n  name: bench\n  manager: 127.0.0.1:0\nprocesses:\n${entries.join("")}`);
const env = { PATH: process.env.PATH, HOME: dir, LANG: "C.UTF-8", XDG_RUNTIME_DIR: runtime };

const yaml = JSON.stringify(createRequire(import.meta.url).resolve("yaml"));
const parsing = `require(${yaml}).parse(require("fs").readFileSync("mgr.yaml", "utf8")); process.send(0, () => process.exit())`;
const waiting = `const child = require("child_process").spawn(process.execPath, ["-e", ${JSON.stringify(parsing)}], { detached: true, stdio: ["ignore", "ignore", "ignore", "ipc"] })`;

const commands: Record<string, readonly string[]> = {
  node: ["-e", "0"],
  floor: ["-e", waiting],
  version: [PROGRAM, "--version"],
  up: [PROGRAM, "up", "--detach"],
  first_ps: [PROGRAM, "ps"],
  ps: [PROGRAM, "ps"],
  down: [PROGRAM, "down"],
};
const times = Object.fromEntries(Object.keys(commands).map((name) => [name, [] as number[]]));
try {
  for (let round = 0; round < ROUNDS; round++)
    for (const [name, words] of Object.entries(commands)) {
      // A manager that has just come up computes for some more time, and its first answer compiles code.
      if (name === "ps") await sleep(1_000);
      const begin = performance.now();
      const { status, stderr } = spawnSync(process.execPath, words, { cwd: dir, env, encoding: "utf8" });
      if (status !== 0) throw new Error(`${name}: ${stderr}`);
      times[name]?.push(performance.now() - begin);
    }
} finally {
  spawnSync(process.execPath, [PROGRAM, "down"], { cwd: dir, env });
  rmSync(dir, { recursive: true, force: true });
}

const median = (name: string) => percentile(times[name] ?? [], 0.5);
const spread = (name: string) => [0, 0.5, 1].map((part) => rounded(percentile(times[name] ?? [], part), 0));
printFigure({
  figure: "start-up",
  unit: `ms of \`mgr up --detach\` with ${COUNT === 1 ? "one process" : `${COUNT} processes`}, median`,
  value: rounded(median("up"), 0),
  peer: "node -e 0",
  peer_value: rounded(median("node"), 0),
  floor: rounded(median("floor"), 0),
  least_median_most: Object.fromEntries(Object.keys(commands).map((name) => [name, spread(name)])),
  multiples_of_node: Object.fromEntries(["version", "ps", "first_ps"].map((name) => [name, rounded(median(name) / median("node"), 1)])),
});
