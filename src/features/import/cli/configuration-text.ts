import { Document, isMap, isPair, isScalar, isSeq, type Pair, type YAMLMap } from "yaml";
import { visible } from "../../../base/text/visible-text.ts";
import type { Draft, Settings } from "./model/draft.ts";
import type { Result } from "./model/result.ts";
import type { Variables } from "./text/variables.ts";

/** The order of keys of a process; others follow. */
const ORDER = [
  "command",
  "shell",
  "cwd",
  "user",
  "environment",
  "env_file",
  "autostart",
  "depends_on",
  "ready",
  "alive",
  "restart",
  "stop",
];
/** Maximum length of a section or list that stands in one line, characters. */
const MAX_LINE_LENGTH = 100;

/** The sections `defines`, `defaults` and `processes` of the new configuration, with comments. */
export function sectionsText({ defaults, processes, findings }: Result, variables: Variables): string {
  const written = (value: unknown): unknown => toWritten(value, variables);
  const content = new Map<string, unknown>();
  if (defaults.settings.size > 0) content.set("defaults", written(ordered(defaults.settings)));
  content.set("processes", new Map(processes.map(({ name, settings }) => [name, written(ordered(settings))])));
  const document = new Document(variables.defines.size === 0 ? content : new Map([["defines", new Map(variables.defines)], ...content]));
  const root = document.contents;
  if (!isMap(root)) return "";
  const lost = new Map<string, string[]>();
  for (const { process, key, place, why } of findings.dropped)
    if (process !== null) lost.set(process, [...(lost.get(process) ?? []), `not carried over: ${key} (line ${place.line}): ${why}`]);
  const section = root.get("processes");
  for (const draft of processes) {
    const pair = pairOf(section, draft.name);
    if (pair === null) continue;
    const origin = `${draft.place.file}${draft.place.line === 0 ? "" : `:${draft.place.line}`} ${draft.origin}`;
    comment(pair, [origin, ...draft.remarks, ...(lost.get(draft.name) ?? [])]);
    if (isScalar(pair.key)) pair.key.spaceBefore = draft !== processes[0];
    commentKeys(pair.value, draft);
  }
  commentKeys(root.get("defaults"), defaults);
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}

function ordered(settings: Settings): Settings {
  const rank = (key: string) => (ORDER.includes(key) ? ORDER.indexOf(key) : ORDER.length);
  return new Map([...settings].sort(([a], [b]) => rank(a) - rank(b)));
}

/** A value with its texts as the configuration writes them. */
function toWritten(value: unknown, variables: Variables): unknown {
  if (typeof value === "string") return variables.written(value);
  if (Array.isArray(value)) return value.map((item) => toWritten(item, variables));
  return value instanceof Map ? new Map([...value].map(([key, item]) => [key, toWritten(item, variables)])) : value;
}

function commentKeys(section: unknown, draft: Draft): void {
  if (!isMap(section)) return;
  for (const pair of section.items) {
    const key = String(isScalar(pair.key) ? pair.key.value : pair.key);
    const { value } = pair;
    if ((isSeq(value) || (isMap(value) && key !== "environment")) && String(value).replaceAll("\n", ", ").length < MAX_LINE_LENGTH)
      value.flow = true;
    comment(pair, draft.notes.get(key) ?? []);
  }
}

function comment(pair: Pair, lines: readonly string[]): void {
  if (lines.length > 0 && isScalar(pair.key)) pair.key.commentBefore = lines.map((line) => ` ${visible(line)}`).join("\n");
}

function pairOf(section: unknown, name: string): Pair | null {
  const pair = isMap(section) ? (section as YAMLMap).items.find(({ key }) => isScalar(key) && key.value === name) : undefined;
  return isPair(pair) ? pair : null;
}
