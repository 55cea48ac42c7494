import type { Figure } from "../support/figure.ts";
import type { Spread, Table } from "./beside-peers.ts";

/** Rows of the README's table: where each value comes from, and what it is called. */
const ROWS = [
  ["supervisors-200", "up_s", "start of 200, s"],
  ["supervisors-1000", "up_s", "start of 1,000, s"],
  ["supervisors-1000", "up_cpu_s", "processor time of that, s"],
  ["supervisors-1000", "stop_s", "stop of 1,000, s"],
  ["supervisors-200", "restart_p50_ms", "restart of one among 200, p50, ms"],
  ["supervisors-200", "restart_p99_ms", "the same, p99, ms"],
  ["supervisors-200", "crash_p50_ms", "crash to new pid, p50, ms"],
  ["supervisors-200", "crash_p99_ms", "the same, p99, ms"],
  ["supervisors-1000", "idle_percent", "idle with 1,000, % of a core"],
  ["supervisors-1000", "resident_mib", "resident with 1,000, MiB"],
  ["supervisors-1000", "status_ms", "status of all 1,000, ms"],
] as const;
const PEERS = ["bare terminals", "supervisord", "s6", "pm2", "ours"];

/** null unless both benchmarks were run. */
export function besidePeersTable(figures: readonly (Figure & { machine: string })[]): string | null {
  const found = new Map(figures.map((figure) => [figure.figure, figure]));
  const [small, large] = [found.get("supervisors-200"), found.get("supervisors-1000")];
  if (small === undefined || large === undefined) return null;
  const rows = ROWS.map(([figure, row, label]) => {
    const values = (found.get(figure)?.table as Table | undefined)?.[row] ?? {};
    return `| ${[label, ...PEERS.map((peer) => cell(values[peer]))].join(" | ")} |`;
  });
  return [
    `Medians of ${small.runs} runs, with least and most, on ${small.machine}, all in the same run.`,
    "",
    `| | ${PEERS.map((peer) => (peer === "ours" ? "mgr" : peer)).join(" | ")} |`,
    `|---|${PEERS.map(() => "---").join("|")}|`,
    ...rows,
  ].join("\n");
}

function cell(value: Spread | undefined): string {
  return value === undefined ? "-" : `${value.median} (${value.least} to ${value.most})`;
}
