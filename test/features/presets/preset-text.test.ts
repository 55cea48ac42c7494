import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { parse } from "yaml";
import { parseConfigText } from "../../../src/config/load/load.ts";
import { inOrder, type PresetContent, parsePreset, presetText } from "../../../src/features/presets/files/preset-text.ts";
import { anyText } from "../../support/any-text.ts";

const content = (values: PresetContent["values"]): PresetContent => ({
  description: 'Slow: and "careful"',
  pattern: "arm/*",
  saved_by: "ada",
  saved_at: "2026-11-21T08:14:02.123",
  values,
});
const word = fc.oneof(
  fc.string({ minLength: 1, maxLength: 20, unit: "grapheme" }),
  fc.constantFrom("no", "true", "~", "- a", "#x", "a: b", "<<", "\u202e", "\u2028", "\ud83e\udd16", "__proto__", "1.50"),
);
const value = fc.oneof(
  anyText({ maxLength: 30 }),
  fc.double().map(String),
  fc.integer().map(String),
  fc.constantFrom("", " ", "true", "TRUE", "null", "~", "007", "1.50", "1e3", "0x10", "a\nb", "'", '"', "# no", "&a", "*a", "!!int 3"),
);

describe("a file of a preset", () => {
  test("is read as it was written, whatever the names and values are", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.record({ service: word, parameter: word, value }), { selector: (one) => `${one.service}\0${one.parameter}` }),
        (values) => {
          const written = content(inOrder(values));
          expect(parsePreset(presetText("careful", written), "careful.yaml")).toEqual(written);
        },
      ),
    );
  });

  test("has one line a value, in an order that does not depend on that of the values", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.record({ service: word, parameter: word, value }), { selector: (one) => `${one.service}\0${one.parameter}` }),
        (values) => {
          const text = presetText("careful", content(values));
          expect(presetText("careful", content(values.toReversed()))).toBe(text);
          const services = new Set(values.map(({ service }) => service)).size;
          expect(text.split("\n").length).toBe(6 + services + values.length + 1);
        },
      ),
    );
  });

  it("is YAML that other tools read, too", () => {
    const text = presetText("careful", content([{ service: "arm/parameters", parameter: "gain", value: "2.5" }]));
    expect(text).toContain("  arm/parameters:\n    gain: 2.5\n");
    expect(parse(text)).toMatchObject({ pattern: "arm/*", parameters: { "arm/parameters": { gain: 2.5 } } });
  });

  it("may be written by hand: a plain value is read as it is written", () => {
    const text = "parameters:\n  arm:\n    gain: 1.50\n    name: left arm # note\n    on: True\n";
    expect(parsePreset(text, "x.yaml")).toEqual({
      description: "",
      pattern: null,
      saved_by: "",
      saved_at: null,
      values: [
        { service: "arm", parameter: "gain", value: "1.50" },
        { service: "arm", parameter: "name", value: "left arm" },
        { service: "arm", parameter: "on", value: "True" },
      ],
    });
  });

  test.each([
    ["", "x.yaml:1: must be a mapping with the key 'parameters'"],
    ["description: a\n", "x.yaml:1: the key 'parameters' is missing"],
    ["parameters: {}\nparams: {}\n", "x.yaml:2: there is no key 'params'"],
    ["parameters:\n  arm: 3\n", "x.yaml:2: parameters: 'arm' must be a mapping"],
    ["parameters:\n  arm:\n    gain:\n", "x.yaml:3: arm:gain: has no value"],
    ["parameters:\n  arm:\n    gain: [1]\n", "x.yaml:3: arm:gain: must be a single value"],
    ["parameters:\n  arm:\n    gain: &a 1\n    limit: *a\n", "x.yaml:4: arm:limit: must be a single value"],
    ["parameters:\n  arm:\n    gain: 1\n    gain: 2\n", "x.yaml:4: 'arm': 'gain' is there twice"],
    ["parameters:\n  arm:\n\tgain: 1\n", "x.yaml:3: the indentation contains a tab"],
    ["saved_at: yesterday\nparameters: {}\n", "x.yaml:1: saved_at: 'yesterday' is not a UTC time"],
    ["parameters:\n  ? [a]\n  : {b: 1}\n", "x.yaml:2: parameters: the key must be a text"],
  ])("%j is refused with line and field", (text, message) => {
    expect(() => parsePreset(text, "x.yaml")).toThrow(message);
  });

  it("with too many values is refused", () => {
    const lines = Array.from({ length: 10_001 }, (_, at) => `    p${at}: 1`);
    expect(() => parsePreset(`parameters:\n  arm:\n${lines.join("\n")}\n`, "x.yaml")).toThrow(
      "x.yaml:10003: there are more than 10000 values",
    );
  });
});

const PAGE = readFileSync(join(import.meta.dirname, "../../../docs/presets.md"), "utf8");

test("the examples of docs/presets.md are a file of a preset, as it is written, and a configuration", () => {
  const [file = "", configuration = ""] = [...PAGE.matchAll(/^```yaml\n(.*?)^```/gmsu)].map(([, text = ""]) => text);
  expect(presetText("careful", parsePreset(file, "careful.yaml"))).toContain(file);
  expect(parseConfigText(configuration, "mgr.yaml").modes.get("demo")).toMatchObject({ preset: "careful" });
});
