import { shortened } from "../base/text/text-length.ts";
import type { Config, ProcessDefinition } from "./definition.ts";
import { describeDefinition } from "./describe-definition.ts";

/** Maximum number of characters of one value; the rest is cut. */
const MAX_TEXT_CHARACTERS = 200;
const MAX_DIFFERENCES = 5_000;

/** A change that another configuration makes to a process. Values are as in a configuration file; null where the key is not set. */
export interface Difference {
  readonly name: string;
  /** Path of the key, such as `restart.delay`. */
  readonly key: string;
  readonly from: string | null;
  readonly to: string | null;
}

/** The differences of all `changed` processes, at most 5,000. Secrets are not shown. */
export function differencesOf(changed: readonly string[], before: Config["processes"], after: Config["processes"]): Difference[] {
  const found: Difference[] = [];
  for (const name of changed) {
    const [from, to] = [before.get(name), after.get(name)];
    if (from === undefined || to === undefined) continue;
    if (found.length >= MAX_DIFFERENCES) break;
    found.push(...changesOf(name, from, to));
  }
  return found.slice(0, MAX_DIFFERENCES);
}

function changesOf(name: string, before: ProcessDefinition, after: ProcessDefinition): Difference[] {
  const from = flattened(describeDefinition(before));
  const to = flattened(describeDefinition(after));
  const keys = [...new Set([...from.keys(), ...to.keys()])].filter((key) => from.get(key) !== to.get(key));
  const shown = keys.map((key) => ({ name, key, from: textOf(from.get(key)), to: textOf(to.get(key)) }));
  // A secret looks the same before and after.
  const secrets = Object.keys(after.environment).filter((variable) => {
    const key = `environment.${variable}`;
    return before.environment[variable] !== after.environment[variable] && from.get(key) === to.get(key);
  });
  return [...shown, ...secrets.map((variable) => ({ name, key: `environment.${variable}`, from: "***", to: "*** (another value)" }))];
}

/** Flattens nested keys to keys joined by dots, and values to text. */
function flattened(value: Record<string, unknown>, path = ""): Map<string, string> {
  const found = new Map<string, string>();
  for (const [key, each] of Object.entries(value)) {
    if (each === null || each === undefined) continue;
    const own = `${path}${key}`;
    if (typeof each === "object" && !Array.isArray(each))
      for (const [inner, text] of flattened(each as Record<string, unknown>, `${own}.`)) found.set(inner, text);
    else if (!Array.isArray(each) || each.length > 0) found.set(own, typeof each === "string" ? each : JSON.stringify(each));
  }
  return found;
}

const textOf = (text: string | undefined) => (text === undefined ? null : shortened(text, MAX_TEXT_CHARACTERS));
