import type { z } from "zod";
import type { Liveness, Probe, ReadyCondition } from "../../contract/run.ts";
import { toCommand } from "../command-line.ts";
import type { Finding } from "../load/problems.ts";
import { headerProblem, headerValue, httpUrl, tcpTarget } from "./schema-addresses.ts";
import { described, namedMap, section } from "./schema-kinds.ts";
import { command, commandProblem, duration, integer, positiveDuration, regex } from "./schema-values.ts";

/** How a process is asked whether it is ready, and whether it still lives. */
const PROBES = ["tcp", "http", "exec"] as const;
const CONDITIONS = ["regex", "time", ...PROBES] as const;
const DEFAULT_INTERVAL_MS = { ready: 1_000, alive: 10_000 };
const DEFAULT_TIMEOUT_MS = 5_000;
const DEFAULT_FAILURES = 3;

const probeShape = {
  tcp: described("Succeeds when this port, or HOST:PORT, accepts a connection.", tcpTarget),
  http: described("Succeeds when a GET of this URL returns a status from 200 to 299, or 'status'.", httpUrl),
  status: described("With http: the expected status.", integer(100, 599)),
  header: described("With http: headers to send.", namedMap("a mapping from names of headers to values", headerValue, headerProblem)),
  exec: described("Succeeds when this command exits with code 0. It runs in the process's folder and environment.", command),
  interval: described("With tcp, http, exec: interval between attempts. Default 1s for 'ready', 10s for 'alive'.", positiveDuration),
  timeout: described("With tcp, http, exec: time-out of one attempt. Default 5s.", positiveDuration),
};

export const ready = section(
  {
    regex: described("JavaScript regular expression (flag u) that the output must match.", regex),
    time: described("How long the process must have been running.", duration),
    ...probeShape,
  },
  {
    allowed: `a mapping with one of the keys ${CONDITIONS.join(", ")}`,
    json: { oneOf: CONDITIONS.map((key) => ({ required: [key] })) },
    check: (values, report) => checkKeys(CONDITIONS, values, report),
  },
);

export const alive = section(
  {
    ...probeShape,
    failures: described("Number of consecutive failures after which the process is stopped as failed. Default 3.", integer(1, 1_000)),
  },
  {
    allowed: `a mapping with one of the keys ${PROBES.join(", ")}`,
    json: { oneOf: PROBES.map((key) => ({ required: [key] })) },
    check: (values, report) => checkKeys(PROBES, values, report),
  },
);

type ProbeSection = Omit<z.output<typeof alive>, "failures">;

export function readyCondition(value: z.output<typeof ready>): ReadyCondition | null {
  if (value.regex !== undefined) return { kind: "regex", pattern: value.regex };
  if (value.time !== undefined) return { kind: "time", ms: value.time };
  return probeOf(value, DEFAULT_INTERVAL_MS.ready);
}

export function liveness(value: z.output<typeof alive>): Liveness | null {
  const probe = probeOf(value, DEFAULT_INTERVAL_MS.alive);
  return probe && { probe, failures: value.failures ?? DEFAULT_FAILURES };
}

function probeOf(value: ProbeSection, interval: number): Probe | null {
  const pace = { interval_ms: value.interval ?? interval, timeout_ms: value.timeout ?? DEFAULT_TIMEOUT_MS };
  if (value.tcp !== undefined) return { kind: "tcp", ...value.tcp, ...pace };
  if (value.http !== undefined) {
    const headers: Record<string, string> = Object.fromEntries(value.header ?? []);
    return { kind: "http", url: value.http, status: value.status ?? null, headers, ...pace };
  }
  return value.exec === undefined ? null : { kind: "exec", program: toCommand(value.exec).program, ...pace };
}

function checkKeys(choices: readonly string[], values: ReadonlyMap<string, unknown>, report: (finding: Finding) => void): void {
  const chosen = choices.filter((key) => values.has(key));
  if (chosen.length === 0) report({ path: [], message: `must have one of the keys ${choices.join(", ")}`, at: "key" });
  if (chosen.length > 1) report({ path: [], message: `has ${chosen.map((key) => `'${key}'`).join(" and ")}; use one of them`, at: "key" });
  const paced = PROBES.some((key) => values.has(key));
  const refuse = (key: string, needed: string) => report({ path: [key], message: `works with ${needed} only`, at: "key" });
  for (const key of ["status", "header"]) if (values.has(key) && !values.has("http")) refuse(key, "'http'");
  for (const key of ["interval", "timeout"]) if (values.has(key) && !paced) refuse(key, "'tcp', 'http' and 'exec'");
  const problem = commandProblem(values.get("exec"), false);
  if (problem !== null) report({ path: ["exec"], message: problem });
}
