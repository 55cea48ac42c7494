// Milliseconds of a whole search over five hosts with real daemons, one of which has a log file of 200 MiB with the line a million lines before its
// end. Plain text, and regular expressions with a fixed text, with two, and without. Peer: `grep -F` over the file alone. `npm run build && npx tsx bench/output-search-hosts.ts`
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { percentile, printFigure, sleep } from "./support/figure.ts";
import { BenchManager } from "./support/manager.ts";

const ROUNDS = 5;
const FILE_BYTES = 200 * 1024 * 1024;
const LINES_AFTER = 1_000_000;
const NEEDLE = "the arm lost its reference";
const TARGET_MS = 2_000;
const HOSTS = ["h1", "h2", "h3", "h4"];

const folder = mkdtempSync(join(tmpdir(), "mgr-bench-search-"));
const log = join(folder, "world.log");
const line = (n: number) =>
  `2026-11-21T08:14:02.${String(n % 1_000).padStart(3, "0")} INFO sim/world step ${n}: position 0.124 0.773 1.250, load 31 %\r\n`;
const count = Math.floor(FILE_BYTES / line(1_000_000).length);
const lines = Array.from({ length: count }, (_, n) => line(n));
lines[count - LINES_AFTER] = `2026-11-21T08:14:02.000 INFO ${NEEDLE}\r\n`;
writeFileSync(log, lines.join(""), { mode: 0o600 });
lines.length = 0;

// Each of the other hosts has some output in memory.
const PRINTS = "seq -f 'step %.0f: position 0.124 0.773 1.250' 1 20000; exec sleep 100000";
const processes = {
  world: { command: "true", log_file: { path: log, max_size: "1GiB" }, node: "h1" },
  ...Object.fromEntries(
    ["localhost", ...HOSTS].map((node) => [`prints/${node}`, { command: ["sh", "-c", PRINTS], node, autostart: true }]),
  ),
};

/** Median milliseconds to the first hit, and to the end of the search. */
async function searched(manager: BenchManager, query: object): Promise<{ hit: number; end: number }> {
  const client = await manager.connect();
  const rounds: { hit: number; end: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    let hit = Number.NaN;
    const begin = performance.now();
    const found = client
      .until(({ type }) => type === "search_output_hits")
      .then(() => {
        hit = performance.now() - begin;
      });
    const done = await client.ask({ type: "search_output", search: `s${round}`, ...query });
    const end = performance.now() - begin;
    await found;
    // Without a fixed text the file may take more than the ten seconds of processor time of a search; the line is at its middle.
    if (done.hits !== 1 || (done.unanswered as unknown[]).length > 0)
      throw new Error(`the search did not find the line: ${JSON.stringify(done)}`);
    rounds.push({ hit, end });
  }
  const of = (key: "hit" | "end") =>
    Math.round(
      percentile(
        rounds.map((each) => each[key]),
        0.5,
      ),
    );
  return { hit: of("hit"), end: of("end") };
}

try {
  await using manager = await BenchManager.up(processes, { hosts: HOSTS });
  for (const host of HOSTS) await manager.daemon(host);
  const client = await manager.connect();
  for (;;) {
    const { processes: all } = await client.ask({ type: "get_snapshot" });
    const prints = (all as { name: string; state: string }[]).filter(({ name }) => name.startsWith("prints/"));
    if (prints.every(({ state }) => state === "started")) break;
    await sleep(100);
  }
  await sleep(2_000);
  const plain = await searched(manager, { pattern: NEEDLE });
  const literal = await searched(manager, { pattern: "arm (lost|has no) its? ?ref", regex: true });
  const either = await searched(manager, { pattern: "^.*(lost its|has no) reference$", regex: true });
  const without = await searched(manager, { pattern: "(?i)arm lost its reference", regex: true });
  const times = Array.from({ length: ROUNDS }, () => {
    const begin = performance.now();
    execFileSync("grep", ["-F", NEEDLE, log]);
    return performance.now() - begin;
  });
  printFigure({
    figure: "output search: five hosts, one with a log file of 200 MiB",
    unit: "ms",
    value: plain.end,
    peer: "grep -F, the file alone",
    peer_value: Math.round(percentile(times, 0.5)),
    plain_hit_ms: plain.hit,
    regex_ms: literal.end,
    regex_of_two_texts_ms: either.end,
    regex_without_text_ms: without.end,
    target_ms: TARGET_MS,
  });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
