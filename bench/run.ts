// Runs every benchmark and prints its line; with --write the table of docs/benchmarks.md is made anew. `npx tsx bench/run.ts [--write]`
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Figure } from "./support/figure.ts";

const FOLDER = fileURLToPath(new URL(".", import.meta.url));
const PAGE = fileURLToPath(new URL("../docs/benchmarks.md", import.meta.url));
const [BEGIN, END] = ["<!-- figures -->", "<!-- /figures -->"];
const TIMEOUT_MS = 180_000;

const figures: (Figure & { machine: string })[] = [];
for (const file of readdirSync(FOLDER).filter((name) => name.endsWith(".ts") && name !== "run.ts")) {
  const { stdout, status } = spawnSync(process.execPath, ["--import", "tsx", `${FOLDER}${file}`], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    timeout: TIMEOUT_MS,
  });
  process.stdout.write(stdout);
  if (status === 0) figures.push(JSON.parse(stdout));
  else process.exitCode = 1;
}
if (process.argv.includes("--write") && process.exitCode !== 1) writePage();

function writePage(): void {
  const rows = figures.map(({ figure, unit, value, peer, peer_value, machine: _, ...more }) => {
    const others = Object.entries(more).map(([key, each]) => `${key.replaceAll("_", " ")}: ${JSON.stringify(each).replaceAll('"', "")}`);
    return `| ${figure} | ${value} | ${unit} | ${peer_value} | ${peer} | ${others.join("; ")} |`;
  });
  const table = [
    `Measured on ${figures[0]?.machine}.`,
    "",
    "| figure | value | unit | peer | what the peer is | more |",
    "|---|---|---|---|---|---|",
    ...rows,
  ];
  const page = readFileSync(PAGE, "utf8");
  const [before = "", rest = ""] = page.split(BEGIN);
  const [, after = ""] = rest.split(END);
  writeFileSync(PAGE, `${before}${BEGIN}\n${table.join("\n")}\n${END}${after}`);
}
