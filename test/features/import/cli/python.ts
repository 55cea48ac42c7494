import { execFileSync } from "node:child_process";

/** Runs a Python function `judge(case)` on each case; returns its results. One process judges all of them. */
export function judged(script: string, cases: readonly unknown[]): unknown[] {
  const program = `${script}\nimport json, sys\nprint(json.dumps([judge(case) for case in json.load(sys.stdin)]))`;
  const output = execFileSync("python3", ["-c", program], { input: JSON.stringify(cases), encoding: "utf8", maxBuffer: 2 ** 26 });
  return JSON.parse(output) as unknown[];
}
