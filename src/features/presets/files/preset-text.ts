import { isMap, isScalar, type Node, type Pair, type Scalar, type YAMLMap } from "yaml";
import { MgrError, messageOf } from "../../../base/errors.ts";
import { didYouMean } from "../../../base/text/suggest.ts";
import { hasLength } from "../../../base/text/text-length.ts";
import { parseYamlDocument } from "../../../config/load/yaml-document.ts";
import { parseTime } from "../../../protocol/time.ts";
import { MAX_PRESET_VALUES } from "../limits.ts";
import type { PresetValue } from "../wire.ts";

/** The content of the file of a preset. */
export interface PresetContent {
  readonly description: string;
  readonly pattern: string | null;
  readonly saved_by: string;
  /** As on the wire; null: unknown. */
  readonly saved_at: string | null;
  /** By service and name, each once. */
  readonly values: readonly PresetValue[];
}

const HEADER_KEYS = ["description", "pattern", "saved_by", "saved_at", "parameters"];
/** Maximum length of a description, a pattern or the name of a user, characters. */
const MAX_HEADER_CHARS = 1_024;
const MAX_NAME_CHARS = 255;
const MAX_VALUE_CHARS = 131_072;
/** Texts that need no quotes as a value: numbers, true and false. They are read as they are written, so that 1.50 stays 1.50. */
const PLAIN_VALUE = /^(?:[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|true|false)$/i;
const PLAIN_KEY = /^[A-Za-z_][\w./-]*$/;
/** Characters that an editor or `git diff` would not show as they are, beside those that JSON escapes. */
const HIDDEN = /[\u007f-\u009f\u2028\u2029\ufeff]|\p{Cf}/gu;

/** The text of a file: one line a value, in the order of services and names. */
export function presetText(name: string, { description, pattern, saved_by, saved_at, values }: PresetContent): string {
  const lines = [`# Preset of parameters. Load it with: mgr preset load ${name}`];
  for (const [key, value] of Object.entries({ description, pattern, saved_by, saved_at }))
    if (value !== null && value !== "") lines.push(`${key}: ${quoted(value)}`);
  lines.push("parameters:");
  let last: string | null = null;
  for (const { service, parameter, value } of inOrder(values)) {
    if (service !== last) lines.push(`  ${keyText(service)}:`);
    last = service;
    lines.push(`    ${keyText(parameter)}: ${PLAIN_VALUE.test(value) ? value : quoted(value)}`);
  }
  return `${lines.join("\n")}\n`;
}

/** By service and name, by code units: the same on every machine. */
export function inOrder<Named extends Pick<PresetValue, "service" | "parameter">>(values: readonly Named[]): Named[] {
  const order = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);
  return [...values].sort((one, other) => order(one.service, other.service) || order(one.parameter, other.parameter));
}

/** Reads a text that `presetText` or a person has written. Throws `conflict` with file, line and field of the first problem. */
export function parsePreset(text: string, file: string): PresetContent {
  const { document, lineCounter, problems } = parseYamlDocument(text);
  const refuse = (at: number, message: string) => new MgrError("conflict", `${file}:${lineCounter.linePos(at).line}: ${message}`);
  const [problem] = problems;
  if (problem !== undefined) throw refuse(problem.offset, problem.message);
  const root: unknown = document?.contents ?? null;
  if (!isMap(root)) throw refuse(0, "must be a mapping with the key 'parameters'");
  const reader = new PresetReader(refuse);
  const header = new Map<string, string>();
  let values: PresetValue[] | null = null;
  for (const { key, at, value } of reader.entries(root as YAMLMap, "")) {
    if (!HEADER_KEYS.includes(key)) throw refuse(at, `there is no key '${key}'${didYouMean(key, HEADER_KEYS)}`);
    if (key === "parameters") {
      values = reader.values(value, at);
      continue;
    }
    const problem = headerProblem(key, reader.text(value, key, at));
    if (problem !== null) throw refuse(at, `${key}: ${problem}`);
    header.set(key, reader.text(value, key, at));
  }
  if (values === null) throw refuse(0, "the key 'parameters' is missing: services, with a mapping from names of parameters to values");
  return {
    description: header.get("description") ?? "",
    pattern: header.get("pattern") ?? null,
    saved_by: header.get("saved_by") ?? "",
    saved_at: header.get("saved_at") ?? null,
    values,
  };
}

interface Entry {
  readonly key: string;
  /** Offset of the key. */
  readonly at: number;
  readonly value: unknown;
}

class PresetReader {
  readonly #refuse: (at: number, message: string) => MgrError;

  constructor(refuse: (at: number, message: string) => MgrError) {
    this.#refuse = refuse;
  }

  /** The entries of a mapping. `path`: where it is, for messages. */
  *entries(map: YAMLMap, path: string): Generator<Entry> {
    const seen = new Set<string>();
    for (const item of map.items as Pair<Node | null, Node | null>[]) {
      const at = offsetOf(item.key) ?? offsetOf(map) ?? 0;
      if (!isScalar(item.key)) throw this.#refuse(at, `${path}the key must be a text`);
      const key = textOf(item.key);
      if (seen.has(key)) throw this.#refuse(at, `${path}'${key}' is there twice`);
      seen.add(key);
      yield { key, at, value: item.value };
    }
  }

  values(services: unknown, at: number): PresetValue[] {
    if (isScalar(services) && services.value === null) return [];
    if (!isMap(services)) throw this.#refuse(at, "parameters: must be a mapping from services to their parameters");
    const values: PresetValue[] = [];
    for (const { key: service, at: serviceAt, value: parameters } of this.entries(services as YAMLMap, "parameters: ")) {
      this.#checkName(service, serviceAt, "the name of a service");
      if (!isMap(parameters)) throw this.#refuse(serviceAt, `parameters: '${service}' must be a mapping from names to values`);
      for (const { key: parameter, at: valueAt, value } of this.entries(parameters as YAMLMap, `'${service}': `)) {
        this.#checkName(parameter, valueAt, "the name of a parameter");
        values.push({ service, parameter, value: this.text(value, `${service}:${parameter}`, valueAt) });
        if (values.length > MAX_PRESET_VALUES) throw this.#refuse(valueAt, `there are more than ${MAX_PRESET_VALUES} values`);
      }
    }
    return values;
  }

  /** A value as text. A plain one is read as it is written, whatever type YAML gives it. */
  text(value: unknown, field: string, at: number): string {
    if (!isScalar(value)) throw this.#refuse(at, `${field}: must be a single value`);
    if (value.value === null) throw this.#refuse(at, `${field}: has no value; an empty text is written "", and the text null "null"`);
    const text = textOf(value);
    if (!hasLength(text, 0, MAX_VALUE_CHARS)) throw this.#refuse(at, `${field}: has more than ${MAX_VALUE_CHARS} characters`);
    return text;
  }

  #checkName(name: string, at: number, what: string): void {
    if (!hasLength(name, 1, MAX_NAME_CHARS)) throw this.#refuse(at, `${what} must have 1 to ${MAX_NAME_CHARS} characters`);
  }
}

function textOf({ type, source, value }: Scalar): string {
  return type === "PLAIN" && source !== undefined ? source : String(value);
}

const offsetOf = (node: Node | null): number | null => node?.range?.[0] ?? null;

/** The problem with a value of the header; null: there is none. */
function headerProblem(key: string, text: string): string | null {
  if (key !== "saved_at") return hasLength(text, 0, MAX_HEADER_CHARS) ? null : `has more than ${MAX_HEADER_CHARS} characters`;
  try {
    parseTime(text);
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

/** A text in double quotes, as YAML and JSON read it. */
function quoted(text: string): string {
  const escaped = (character: string) =>
    Array.from({ length: character.length }, (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`).join("");
  return JSON.stringify(text).replace(HIDDEN, escaped);
}

/** YAML reads these words as something else than text; the file is for other tools, too. */
const RESERVED = /^(?:true|false|null|yes|no|on|off|y|n)$/i;

const keyText = (key: string): string => (PLAIN_KEY.test(key) && !RESERVED.test(key) ? key : quoted(key));
