// Runs every benchmark, or those that are named, and prints its line. With --write their rows in the table of docs/benchmarks.md are
// replaced, and the table beside other process managers in README.md if both of its benchmarks were run. `npx tsx bench/run.ts [--write] [NAME...]`
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { besidePeersTable } from "./peers/table.ts";
import type { Figure } from "./support/figure.ts";

const FOLDER = fileURLToPath(new URL(".", import.meta.url));
/** Five runs of each peer take minutes. */
const TIMEOUT_MS = 1_200_000;
/** Not a benchmark, and those that take long. */
const NOT_RUN = new Set(["run", "soak", "bus-fuzz", "load-trial", "flight-trial", "alone-cuts", "alone-minute"]);

const named = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
const all = readdirSync(FOLDER)
  .filter((file) => file.endsWith(".ts"))
  .map((file) => file.slice(0, -".ts".length))
  .filter((name) => !NOT_RUN.has(name));
const unknown = named.filter((name) => !all.includes(name));
if (unknown.length > 0) throw new Error(`no benchmark is named ${unknown.join(", ")}; there are ${all.join(", ")}`);

const figures: (Figure & { machine: string })[] = [];
for (const name of named.length > 0 ? named : all) {
  const { stdout, status } = spawnSync(process.execPath, ["--import", "tsx", `${FOLDER}${name}.ts`], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    timeout: TIMEOUT_MS,
  });
  process.stdout.write(stdout);
  if (status === 0) figures.push(JSON.parse(stdout));
  else process.exitCode = 1;
}
if (process.argv.includes("--write") && process.exitCode !== 1) {
  writeBetween("docs/benchmarks.md", "figures", figuresTable);
  const beside = besidePeersTable(figures);
  if (beside !== null) writeBetween("README.md", "beside other process managers", () => beside);
}

/** The table with the rows of this run; those of other benchmarks stay as they are. */
function figuresTable(earlier: string): string {
  const rows = new Map<string, string>();
  for (const [row, name = ""] of earlier.matchAll(/^\| (?!figure )([^|]+) \| .*$/gm)) rows.set(name, row);
  for (const { figure, unit, value, peer, peer_value, machine: _, table: __, ...more } of figures) {
    const others = Object.entries(more).map(([key, each]) => `${key.replaceAll("_", " ")}: ${JSON.stringify(each).replaceAll('"', "")}`);
    rows.set(figure, `| ${figure} | ${value} | ${unit} | ${peer_value} | ${peer} | ${others.join("; ")} |`);
  }
  const sorted = [...rows].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row);
  return [
    `Measured on ${figures[0]?.machine}.`,
    "",
    "| figure | value | unit | peer | what the peer is | more |",
    "|---|---|---|---|---|---|",
    ...sorted,
  ].join("\n");
}

/** Replaces what is between `<!-- mark -->` and `<!-- /mark -->` in a file of the project. */
function writeBetween(file: string, mark: string, textOf: (earlier: string) => string): void {
  const path = fileURLToPath(new URL(`../${file}`, import.meta.url));
  const [begin, end] = [`<!-- ${mark} -->`, `<!-- /${mark} -->`];
  const page = readFileSync(path, "utf8");
  const [before = "", rest] = page.split(begin);
  const [earlier = "", after] = rest?.split(end) ?? [];
  if (after === undefined) throw new Error(`${file} has no '${begin}' with an '${end}' behind it`);
  writeFileSync(path, `${before}${begin}\n${textOf(earlier)}\n${end}${after}`);
}
