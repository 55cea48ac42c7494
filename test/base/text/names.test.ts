import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  ancestorNames,
  displayName,
  isWithin,
  MAX_NAME_LENGTH,
  MAX_SEGMENT_LENGTH,
  nameProblem,
  parentName,
} from "../../../src/base/text/names.ts";

describe("a name", () => {
  it.each([
    "a",
    "sim/world",
    "a b",
    "größe",
    "日本/東京",
    "😀",
    "...",
    "a.b",
    "__proto__",
    "constructor/toString",
    "*",
    "[a-z]?",
    "'\"\\",
    "a".repeat(MAX_SEGMENT_LENGTH),
    // Characters, not UTF-16 units.
    "😀".repeat(MAX_SEGMENT_LENGTH),
    ["😀".repeat(64), "😀".repeat(64), "😀".repeat(64), "😀".repeat(60)].join("/"),
  ])("may be %j", (name) => expect(nameProblem(name)).toBeNull());

  it.each([
    ["", "is empty"],
    ["/a", "has an empty segment (check for a leading, trailing or double '/')"],
    ["a/", "has an empty segment (check for a leading, trailing or double '/')"],
    ["a//b", "has an empty segment (check for a leading, trailing or double '/')"],
    [".", "has a segment '.' or '..'"],
    ["a/../b", "has a segment '.' or '..'"],
    ["a\nb", "has a non-printable character"],
    ["a\u0000", "has a non-printable character"],
    ["a\u202Eb", "has a non-printable character"],
    ["a\u2028b", "has a non-printable character"],
    ["\uD800", "has a non-printable character"],
    ["a".repeat(MAX_SEGMENT_LENGTH + 1), `has a segment longer than ${MAX_SEGMENT_LENGTH} characters`],
    [Array.from({ length: 5 }, () => "a".repeat(60)).join("/"), `is longer than ${MAX_NAME_LENGTH} characters`],
  ])("may not be %j", (name, problem) => expect(nameProblem(name)).toBe(problem));

  it("may have 255 characters in all", () => {
    const name = [...Array.from({ length: 4 }, () => "a".repeat(50)), "b".repeat(51)].join("/");
    expect(name).toHaveLength(255);
    expect(nameProblem(name)).toBeNull();
    expect(nameProblem(`${name}b`)).not.toBeNull();
  });
});

it("is shown by its last segment, below its parent, below all its ancestors", () => {
  expect(displayName("a/b/c")).toBe("c");
  expect(displayName("a")).toBe("a");
  expect(parentName("a/b/c")).toBe("a/b");
  expect(parentName("a")).toBeNull();
  expect(ancestorNames("a/b/c")).toEqual(["a", "a/b"]);
  expect(ancestorNames("a")).toEqual([]);
});

it("lies within itself and its ancestors, and not within names that only share a prefix", () => {
  expect(isWithin("a/b", "a")).toBe(true);
  expect(isWithin("a", "a")).toBe(true);
  expect(isWithin("ab", "a")).toBe(false);
  expect(isWithin("a", "a/b")).toBe(false);
  expect(isWithin("a/b", "")).toBe(false);
  const segment = fc.string({ unit: "grapheme", minLength: 1, maxLength: 3 }).filter((text) => !text.includes("/"));
  fc.assert(
    fc.property(fc.array(segment, { minLength: 1, maxLength: 4 }), fc.array(segment, { minLength: 1, maxLength: 4 }), (one, two) => {
      const isPrefix = two.length <= one.length && two.every((each, index) => each === one[index]);
      expect(isWithin(one.join("/"), two.join("/"))).toBe(isPrefix);
      expect(ancestorNames(one.join("/"))).toEqual(one.slice(0, -1).map((_, index) => one.slice(0, index + 1).join("/")));
    }),
  );
});
