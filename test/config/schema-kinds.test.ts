import { expect, it } from "vitest";
import { defaulted, described, jsonSchemaOf, orNull, section } from "../../src/config/schema/schema-kinds.ts";
import { integer } from "../../src/config/schema/schema-values.ts";

it("keys that share the schema of a value have sentences and defaults of their own", () => {
  const value = integer(1, 9);
  const alone = { type: "integer", minimum: 1, maximum: 9, allowed: "a whole number from 1 to 9" };
  const keys = section({
    first: described("The first.", value),
    second: defaulted("The second. Default {}.", value, 3),
    third: orNull("The third.", value),
    bare: value,
  });
  expect(jsonSchemaOf(keys)).toMatchObject({
    properties: {
      first: { ...alone, description: "The first." },
      second: { ...alone, description: "The second. Default 3.", default: 3 },
      third: { ...alone, description: "The third." },
    },
    required: ["bare"],
  });
  expect(jsonSchemaOf(value)).toEqual(alone);
  expect(keys.parse({ bare: 5 })).toEqual({ second: 3, third: null, bare: 5 });
});

it("a value that is read by a function and then converted keeps its JSON Schema and its errors", () => {
  const text = integer(1, 9).transform(String);
  expect(jsonSchemaOf(text)).toMatchObject({ type: "integer", minimum: 1, maximum: 9 });
  expect(text.parse(4)).toBe("4");
  expect(section({ text }).safeParse({ text: 10 }).error?.issues).toMatchObject([
    { path: ["text"], message: "must be a whole number from 1 to 9, found the number 10" },
  ]);
});
