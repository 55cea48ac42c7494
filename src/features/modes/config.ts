import type { z } from "zod";
import { nameProblem } from "../../base/text/names.ts";
import { didYouMean } from "../../base/text/suggest.ts";
import type { ConfigFeature } from "../../config/config-feature.ts";
import { type Edge, findCycles } from "../../config/load/cycles.ts";
import type { Names, PartFinding } from "../../config/load/names.ts";
import { defaulted, entriesOf, listOf, namedMap, orNull, section } from "../../config/schema/schema-kinds.ts";
import { environmentValue, text } from "../../config/schema/schema-values.ts";
import { PRESET_NAME, PRESET_NAME_RULE } from "../presets/preset-name.ts";
import { type Selectable, selectedBy } from "./select.ts";

const selector = text("a process, a group, tag:NAME or a pattern such as 'sim/*'");

const mode = section({
  start: defaulted(
    "Processes that the mode starts, with those that they depend on: names, groups, tag:NAME or patterns.",
    listOf("names", selector),
    [],
  ),
  stop: defaulted(
    "Processes that the mode stops: names, groups, tag:NAME or patterns. What the mode starts, or needs for that, is not stopped.",
    listOf("names", selector),
    [],
  ),
  parameters: defaulted(
    "Parameters that the mode overrides, by name or SERVICE:NAME, with their values.",
    namedMap("a mapping from names of parameters to values", environmentValue, (name) => (name === "" ? "is empty" : null)),
    {},
  ),
  preset: orNull(
    "Preset of parameters that the mode loads (docs/presets.md). Values in 'parameters' win.",
    text("the name of a preset", (name) => (PRESET_NAME.test(name) ? null : PRESET_NAME_RULE)),
  ),
  fallback: orNull(
    "The mode that the manager switches to by itself when an essential process of this mode has failed.",
    text("the name of a mode"),
  ),
});
export type ModeDefinition = z.output<typeof mode>;

const file = {
  modes: defaulted(
    "States of the whole set-up that are switched to with one command, see docs/modes.md.",
    namedMap("a mapping from names of modes to {start, stop, parameters, preset, fallback}", mode, nameProblem),
    {},
  ),
};

export const modesConfig = { file, checkReferences: checkModes } satisfies ConfigFeature;

/** Reports words that select nothing, fallbacks that do not exist, and those that form a circle. */
function checkModes(names: Names): PartFinding[] {
  const modes = entriesOf(names.main.get("modes") ?? null) ?? new Map<string, unknown>();
  const processes = selectables(names);
  const findings: PartFinding[] = [];
  const edges = new Map<string, Edge[]>();
  for (const [name, value] of modes) {
    const settings = entriesOf(value ?? null);
    for (const key of ["start", "stop"]) {
      const words: unknown = settings?.get(key);
      for (const [index, word] of (Array.isArray(words) ? words : []).entries())
        if (typeof word === "string" && word !== "" && selectedBy(word, processes).length === 0)
          findings.push(names.finding(["modes", name, key, index], nothingSelected(word, processes)));
    }
    const fallback: unknown = settings?.get("fallback");
    if (typeof fallback !== "string" || fallback === "") continue;
    const path = ["modes", name, "fallback"];
    if (modes.has(fallback)) edges.set(name, [{ to: fallback, path, at: "value" }]);
    else findings.push(names.finding(path, `there is no mode '${fallback}'${didYouMean(fallback, modes.keys())}`));
  }
  const cycles = findCycles(edges).map(({ edge, cycle }) => names.finding(edge.path, `the fallbacks form a cycle: ${cycle.join(" → ")}`));
  return [...findings, ...cycles];
}

function nothingSelected(word: string, processes: readonly Selectable[]): string {
  if (word.startsWith("tag:")) {
    const known = new Set(processes.flatMap(({ tags }) => tags.map((tag) => `tag:${tag}`)));
    return `no process has the tag '${word.slice("tag:".length)}'${didYouMean(word, known)}`;
  }
  return `there is no process or group '${word}', and no process matches it${didYouMean(
    word,
    processes.map(({ name }) => name),
  )}`;
}

/** The processes with their tags, before they are checked against the schema. */
function selectables(names: Names): Selectable[] {
  const defaults = entriesOf(names.main.get("defaults") ?? null)?.get("tags");
  return [...names.processes.keys()].map((name) => {
    const tags: unknown =
      names
        .sections(name)
        .findLast(({ settings }) => settings.has("tags"))
        ?.settings.get("tags") ?? defaults;
    return { name, tags: Array.isArray(tags) ? tags.filter((tag) => typeof tag === "string") : [] };
  });
}
