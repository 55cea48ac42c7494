import { describe, expect, test } from "vitest";
import {
  differences,
  fileContent,
  overridesOf,
  parseOverrides,
  yamlOf,
} from "../../../../src/features/data-plane/cli/param/parameter-file.ts";
import { fakeParameter } from "../fake-data.ts";

const NOW = overridesOf([
  fakeParameter("gain", { override_enabled: true, override_value: "2.5" }),
  fakeParameter("limit", { override_value: "7" }),
  fakeParameter("yes", { override_enabled: true, override_value: "true" }),
]);

describe("a file of overrides", () => {
  test("is read back as it was written; values stay text", () => {
    expect(fileContent(NOW)).toEqual({ "arm/parameters": { gain: "2.5", limit: null, yes: "true" } });
    expect(parseOverrides(yamlOf(NOW), "f.yaml")).toEqual(NOW);
    expect(parseOverrides(JSON.stringify(fileContent(NOW)), "f.json")).toEqual(NOW);
  });

  test("may be written by hand with numbers", () => {
    expect(fileContent(parseOverrides("arm/parameters:\n  gain: 2.5\n  yes: true\n", "f"))).toEqual({
      "arm/parameters": { gain: "2.5", yes: "true" },
    });
  });

  test.each([
    ["[1]", "f.yaml: must be an object of services"],
    ["a: 1", "f.yaml: a: must be an object of parameters"],
    ["a: {b: [1]}", "f.yaml: a: b: must be a value or null"],
    ["a: {", "f.yaml: invalid YAML"],
  ])("%s is refused with its place", (text, words) => {
    expect(() => parseOverrides(text, "f.yaml")).toThrow(expect.objectContaining({ exitCode: 2, message: expect.stringContaining(words) }));
  });

  test("is compared by its content", () => {
    const file = parseOverrides("arm/parameters: {gain: '3', limit: null, gone: '1'}", "f");
    expect(differences(file, NOW)).toEqual([
      { parameter: "arm/parameters:gain", file: "3", now: "2.5" },
      { parameter: "arm/parameters:gone", file: "1", now: undefined },
    ]);
  });
});
