import { isDeepStrictEqual } from "node:util";
import type { Config, ProcessDefinition } from "./definition.ts";
import { APPLIED_AT_ONCE, FILE_KEYS, INSTANCE_KEYS } from "./features.ts";
import type { HostSetting } from "./hosts.ts";

/** The changes of processes by another configuration, by name. */
export interface Plan {
  readonly added: string[];
  readonly removed: string[];
  readonly changed: string[];
  readonly unchanged: string[];
}

type Definitions = ReadonlyMap<string, ProcessDefinition>;

/** Compares the processes of two configurations. Each list is in the order of the configuration that has its names. */
export function planChanges(before: Definitions, after: Definitions): Plan {
  const plan: Plan = { added: [], removed: [], changed: [], unchanged: [] };
  for (const [name, definition] of after) {
    const known = before.get(name);
    if (known === undefined) plan.added.push(name);
    else if (isSameDefinition(known, definition)) plan.unchanged.push(name);
    else plan.changed.push(name);
  }
  for (const name of before.keys()) if (!after.has(name)) plan.removed.push(name);
  return plan;
}

export function isSameDefinition(a: ProcessDefinition, b: ProcessDefinition): boolean {
  return a === b || isDeepStrictEqual(a, b);
}

/** Whether a run that was started by one definition would be the same by the other. */
export function isSameForRuns(a: ProcessDefinition, b: ProcessDefinition): boolean {
  if (isSameDefinition(a, b)) return true;
  // Dependencies decide when a run begins and ends, not what it is.
  const isCounted = (key: string) => key !== "depends_on" && !APPLIED_AT_ONCE.has(key);
  const counted = (definition: ProcessDefinition) => Object.entries(definition).filter(([key]) => isCounted(key));
  return isDeepStrictEqual(counted(a), counted(b));
}

/** A change of a host by another configuration. */
export interface HostChange {
  readonly name: string;
  readonly change: "added" | "removed" | "changed";
  /** Keys of a changed host that differ; `token` is the content of its token file. */
  readonly keys: string[];
}

/** `renewed`: hosts whose token file has another token than before. */
export function hostChanges(before: Config["hosts"], after: Config["hosts"], renewed: readonly string[]): HostChange[] {
  const changes: HostChange[] = [];
  for (const [name, setting] of after) {
    const known = before.get(name);
    if (known === undefined) changes.push({ name, change: "added", keys: [] });
    else {
      const keys = (Object.keys(setting) as (keyof HostSetting)[]).filter((key) => !isDeepStrictEqual(known[key], setting[key]));
      const all = renewed.includes(name) ? [...keys, "token"] : keys;
      if (all.length > 0) changes.push({ name, change: "changed", keys: all });
    }
  }
  for (const name of before.keys()) if (!after.has(name)) changes.push({ name, change: "removed", keys: [] });
  return changes;
}

const TAKEN_BY_RELOADS = new Set(["start_tools", ...Object.keys(INSTANCE_KEYS)]);

/** The settings of a running manager after a reload: those that take effect at its next start only stay as they are. */
export function reloadedSettings(before: Config["instance"], after: Config["instance"]): Config["instance"] {
  const taken = Object.entries(after).filter(([key]) => TAKEN_BY_RELOADS.has(key));
  return { ...before, ...Object.fromEntries(taken) };
}

const APPLIED_SECTIONS = ["access", "nodes", ...Object.keys(FILE_KEYS)] as readonly (keyof Config)[];

/** Keys such as `flight` and `instance.start_tools`, other than processes and hosts, that differ and that a reload applies. */
export function appliedSettings(before: Config, after: Config): string[] {
  const sections = APPLIED_SECTIONS.filter((key) => !isDeepStrictEqual(before[key], after[key]));
  return [...sections, ...instanceDifferences(before, after, (key) => TAKEN_BY_RELOADS.has(key))];
}

/** Keys such as `instance.state_dir` that differ and that take effect only at the next start of the manager. */
export function fixedSettings(before: Config, after: Config): string[] {
  return instanceDifferences(before, after, (key) => !TAKEN_BY_RELOADS.has(key));
}

function instanceDifferences({ instance: before }: Config, { instance: after }: Config, counts: (key: string) => boolean): string[] {
  const keys = Object.keys(after) as (keyof Config["instance"])[];
  const differ = keys.filter((key) => counts(key) && !isDeepStrictEqual(before[key], after[key]));
  return differ.map((key) => `instance.${key}`);
}
