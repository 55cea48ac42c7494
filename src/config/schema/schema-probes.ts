import type { z } from "zod";
import type { Liveness, Probe, ReadyCondition } from "../../contract/run.ts";
import { toCommand } from "../command-line.ts";
import { ALIVE_KEYS, PROBE_KINDS, READY_KEYS, toFeatureProbe } from "../features.ts";
import type { Finding } from "./problems.ts";
import { headerProblem, headerValue, httpUrl, tcpTarget } from "./schema-addresses.ts";
import { defaulted, described, namedMap, orNull, section } from "./schema-kinds.ts";
import { command, commandProblem, duration, integer, positiveDuration, regex } from "./schema-values.ts";

/** The probes that check whether a process is ready, and whether it is still alive. */
const CORE_PROBES = ["tcp", "http", "exec"];
const PROBES = [...CORE_PROBES, ...PROBE_KINDS.map(({ key }) => key)];
const CONDITIONS = ["regex", "time", ...PROBES];

const probeShape = (interval: string) => ({
  tcp: described("Succeeds when this port, or HOST:PORT, accepts a connection.", tcpTarget),
  http: described("Succeeds when a GET of this URL returns a status from 200 to 299, or 'status'.", httpUrl),
  status: orNull("With http: the expected status.", integer(100, 599)),
  header: defaulted("With http: headers to send.", namedMap("a mapping from names of headers to values", headerValue, headerProblem), {}),
  exec: described("Succeeds when this command exits with code 0. It runs in the process's folder and environment.", command),
  interval: defaulted(
    "With tcp, http, exec: interval between attempts. Default 1s for 'ready', 10s for 'alive'.",
    positiveDuration,
    interval,
  ),
  timeout: defaulted("With tcp, http, exec: time-out of one attempt. Default {}.", positiveDuration, "5s"),
});

export const ready = section(
  {
    regex: described("JavaScript regular expression (flag u) that the output must match.", regex),
    time: described("How long the process must have been running.", duration),
    ...probeShape("1s"),
    ...READY_KEYS,
  },
  {
    allowed: `a mapping with one of the keys ${CONDITIONS.join(", ")}`,
    json: { oneOf: CONDITIONS.map((key) => ({ required: [key] })) },
    check: (values, report) => checkKeys(CONDITIONS, values, report),
  },
).transform(({ regex, time, ...probe }): ReadyCondition | null => {
  if (regex !== undefined) return { kind: "regex", pattern: regex };
  return time === undefined ? probeOf(probe) : { kind: "time", ms: time };
});

export const alive = section(
  {
    ...probeShape("10s"),
    ...ALIVE_KEYS,
    failures: defaulted("Number of consecutive failures after which the process is stopped as failed. Default {}.", integer(1, 1_000), 3),
  },
  {
    allowed: `a mapping with one of the keys ${PROBES.join(", ")}`,
    json: { oneOf: PROBES.map((key) => ({ required: [key] })) },
    check: (values, report) => checkKeys(PROBES, values, report),
  },
).transform(({ failures, ...settings }): Liveness | null => {
  const probe = probeOf(settings);
  return probe && { probe, failures };
});

type ProbeSection = z.output<z.ZodObject<ReturnType<typeof probeShape>>>;

function probeOf({ tcp, http, status, header, exec, interval, timeout, ...own }: ProbeSection): Probe | null {
  const pace = { interval_ms: interval, timeout_ms: timeout };
  if (tcp !== undefined) return { kind: "tcp", ...tcp, ...pace };
  if (http !== undefined) return { kind: "http", url: http, status, headers: Object.fromEntries(header), ...pace };
  return exec === undefined ? toFeatureProbe(own) : { kind: "exec", program: toCommand(exec).program, ...pace };
}

function checkKeys(choices: readonly string[], values: ReadonlyMap<string, unknown>, report: (finding: Finding) => void): void {
  const chosen = choices.filter((key) => values.has(key));
  if (chosen.length === 0) report({ path: [], message: `must have one of the keys ${choices.join(", ")}`, at: "key" });
  if (chosen.length > 1) report({ path: [], message: `has ${chosen.map((key) => `'${key}'`).join(" and ")}; use one of them`, at: "key" });
  const paced = CORE_PROBES.some((key) => values.has(key));
  const refuse = (key: string, needed: string) => report({ path: [key], message: `works with ${needed} only`, at: "key" });
  for (const key of ["status", "header"]) if (values.has(key) && !values.has("http")) refuse(key, "'http'");
  for (const key of ["interval", "timeout"]) if (values.has(key) && !paced) refuse(key, "'tcp', 'http' and 'exec'");
  for (const { key: kind, keys } of PROBE_KINDS) for (const key of keys) if (values.has(key) && !values.has(kind)) refuse(key, `'${kind}'`);
  const problem = commandProblem(values.get("exec"), false);
  if (problem !== null) report({ path: ["exec"], message: problem });
}
