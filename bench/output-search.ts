// Milliseconds until a line is found that stands a million lines before the end of a log file of 200 MiB, worker thread and all. Peer: `grep` for the
// same text in the same file. `npm run build && npx tsx bench/output-search.ts`
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Host } from "../src/daemon/host.ts";
import { percentile, printFigure, rounded } from "./support/figure.ts";

const ROUNDS = 5;
const FILE_BYTES = 200 * 1024 * 1024;
const LINES_AFTER = 1_000_000;
const NEEDLE = "the arm lost its reference";
const COLOUR = "\x1b[32mINFO\x1b[0m";
const TARGET_MS = 2_000;

const folder = mkdtempSync(join(tmpdir(), "mgr-bench-search-"));
/** Writes the log file; `level` stands in each line. */
function writeLog(path: string, level: string): void {
  const line = (n: number) =>
    `2026-11-21T08:14:02.${String(n % 1_000).padStart(3, "0")} ${level} sim/world step ${n}: position 0.124 0.773 1.250, load 31 %\r\n`;
  const count = Math.floor(FILE_BYTES / line(1_000_000).length);
  const lines = Array.from({ length: count }, (_, n) => line(n));
  lines[count - LINES_AFTER] = `2026-11-21T08:14:02.000 ${level} ${NEEDLE}\r\n`;
  writeFileSync(path, lines.join(""));
}

// First: a host that hears nothing of its manager for seconds ends the session.
writeLog(join(folder, "plain.log"), "INFO");
writeLog(join(folder, "coloured.log"), COLOUR);
const host = new Host({ host: "bench", subreaper: false, log: () => {} });
const { session } = await host.request("hello", { epoch: 1, manager_pid: process.pid, contracts: [1] });
const heart = setInterval(() => host.heartbeat(session), 1_000);

interface Wish {
  readonly pattern: string;
  readonly regex?: boolean;
  readonly ignore_case?: boolean;
}

/** Milliseconds to the hit, and to the end of the search. */
async function searched(name: string, { pattern, regex = false, ignore_case = false }: Wish): Promise<{ hit: number; end: number }> {
  const begin = performance.now();
  const search = `search-${begin}`;
  const targets = [{ name, log_file: { path: `${name}.log`, base_dir: folder, max_files: 5 } }];
  const limits = { since_ms: null, until_ms: null, context: 0, limit: 1_000, cpu_ms: 10_000 };
  await host.request("search_output", { session, search, pattern, regex, ignore_case, targets, ...limits });
  let hit = Number.NaN;
  for (;;) {
    const answer = await host.request("search_output_hits", { session, search });
    if (Number.isNaN(hit) && answer.hits.length > 0) hit = performance.now() - begin;
    if (answer.end === null) continue;
    if (Number.isNaN(hit)) throw new Error(`the search of '${pattern}' found nothing (${JSON.stringify(answer.end)})`);
    return { hit, end: performance.now() - begin };
  }
}

async function median(name: string, wish: Wish): Promise<{ hit: number; end: number }> {
  const rounds: { hit: number; end: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await searched(name, wish));
  const of = (key: "hit" | "end") =>
    Math.round(
      percentile(
        rounds.map((each) => each[key]),
        0.5,
      ),
    );
  return { hit: of("hit"), end: of("end") };
}

function grepMs(name: string, ...options: string[]): number {
  const times = Array.from({ length: ROUNDS }, () => {
    const begin = performance.now();
    execFileSync("grep", [...options, NEEDLE, join(folder, `${name}.log`)]);
    return performance.now() - begin;
  });
  return Math.round(percentile(times, 0.5));
}

try {
  const plain = await median("plain", { pattern: NEEDLE });
  const ignoringCase = await median("plain", { pattern: "the ARM lost its reference", ignore_case: true });
  const regex = await median("plain", { pattern: "arm (lost|has no) its? ?ref", regex: true });
  const coloured = await median("coloured", { pattern: NEEDLE });
  printFigure({
    figure: "output search: line in a log file of 200 MiB",
    unit: "ms",
    value: plain.hit,
    peer: "grep -F, whole file",
    peer_value: grepMs("plain", "-F"),
    whole_file_ms: plain.end,
    ignore_case_ms: ignoringCase.end,
    grep_ignore_case_ms: grepMs("plain", "-iF"),
    regex_ms: regex.end,
    coloured_ms: coloured.end,
    mib_per_second: rounded(200 / (plain.end / 1_000), 0),
    target_ms: TARGET_MS,
  });
} finally {
  clearInterval(heart);
  await host.close();
  rmSync(folder, { recursive: true, force: true });
}
