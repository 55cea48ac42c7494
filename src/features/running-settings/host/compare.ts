import { policyName } from "../../../base/scheduling-policies.ts";
import type { LimitName, RunSettings } from "../../../contract/run-settings.ts";
import { MAX_VALUE, type SettingRow } from "../contract.ts";
import type { Comparison } from "../rows.ts";
import type { ProcSettings } from "./proc-settings.ts";

/** Settings of the next start, as this host resolves them; null: nothing is configured. */
export interface NextSettings {
  /** Null: it could not be determined. */
  readonly environment: Readonly<Record<string, string>> | null;
  /** The folder without symbolic links. */
  readonly cwd: string;
  readonly user: string;
  readonly umask: number | null;
  readonly limits: RunSettings["limits"];
  readonly scheduling: RunSettings["scheduling"];
}

/** Variables that a shell sets for its commands. */
const SHELL_VARIABLES = new Set(["PWD", "OLDPWD", "SHLVL", "_"]);
/** Longest name of a variable that is shown, characters. */
const MAX_NAME = 1_024;

/** Compares what a process runs with and what its next start would have. `userOf` names a user. */
export function compareSettings(running: ProcSettings, next: NextSettings, userOf: (uid: number) => string): SettingRow[] {
  return [...processRows(running, next, userOf), ...limitRows(running, next), ...environmentRows(running, next)];
}

function processRows(running: ProcSettings, next: NextSettings, userOf: (uid: number) => string): SettingRow[] {
  const { scheduling } = next;
  const policy = scheduling?.policy ?? null;
  const rows: readonly (readonly [name: string, running: string | null, configured: string | null])[] = [
    ["cwd", running.cwd, next.cwd],
    ["user", running.uid === null ? null : userOf(running.uid), next.user],
    ["umask", octal(running.umask), octal(next.umask)],
    ["nice", String(running.nice), textOf(scheduling?.nice)],
    ["policy", policyName(running.policy), policy === null ? null : policyName(policy)],
    ["prio", String(running.prio), textOf(scheduling?.prio)],
    ["affinity", running.affinity?.join(",") ?? null, scheduling?.affinity?.join(",") ?? null],
  ];
  return rows.map(([name, now, configured]) => rowOf("process", name, { running: now, configured, unconfigured: "inherited" }));
}

function limitRows({ limits }: ProcSettings, next: NextSettings): SettingRow[] {
  return [...limits].map(([name, limit]: [LimitName, { soft: number | null; hard: number | null }]) => {
    const configured = next.limits[name];
    return rowOf("limits", name, {
      running: limitText(limit),
      configured: configured === undefined ? null : limitText(configured),
      unconfigured: "inherited",
    });
  });
}

function environmentRows({ environment, isCut }: ProcSettings, next: NextSettings): SettingRow[] {
  const names = [...new Set([...(environment?.keys() ?? []), ...Object.keys(next.environment ?? {})])];
  return names
    .filter((name) => name.length <= MAX_NAME)
    .sort()
    .map((name): SettingRow => {
      const running = environment?.get(name) ?? null;
      const configured = next.environment !== null && Object.hasOwn(next.environment, name) ? (next.environment[name] ?? null) : null;
      const row = rowOf("environment", name, { running, configured, unconfigured: "added" });
      // Nothing is known of a variable behind the cut, or of an environment that cannot be read.
      const isUnknown = next.environment === null || environment === null || (isCut && running === null);
      return isUnknown ? { ...row, comparison: "unknown" } : { ...row, reason: reasonOf(name, row.comparison) };
    });
}

function reasonOf(name: string, comparison: Comparison): string | null {
  if (comparison !== "added") return null;
  if (name.startsWith("MGR_")) return "set by mgr";
  return SHELL_VARIABLES.has(name) ? "set by a shell" : null;
}

interface Values {
  readonly running: string | null;
  readonly configured: string | null;
  /** The meaning of a value that is not configured. */
  readonly unconfigured: "added" | "inherited";
}

function rowOf(group: SettingRow["group"], name: string, { running, configured, unconfigured }: Values): SettingRow {
  const comparison = (): Comparison => {
    if (running === null) return group === "environment" ? "missing" : "unknown";
    if (configured === null) return unconfigured;
    return running === configured ? "same" : "changed";
  };
  return { group, name, running: cut(running), configured: cut(configured), comparison: comparison(), reason: null };
}

function cut(value: string | null): string | null {
  return value === null || value.length <= MAX_VALUE ? value : `${value.slice(0, MAX_VALUE)}…`;
}

const textOf = (value: number | null | undefined): string | null => (value == null ? null : String(value));
const octal = (mode: number | null): string | null => (mode === null ? null : mode.toString(8).padStart(3, "0"));

function limitText({ soft, hard }: { soft: number | null; hard: number | null }): string {
  const text = (value: number | null) => (value === null ? "unlimited" : String(value));
  return soft === hard ? text(soft) : `${text(soft)} (hard ${text(hard)})`;
}
