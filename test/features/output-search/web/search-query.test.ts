import { expect, test } from "vitest";
import {
  chosenNames,
  NEW_QUERY,
  queryOfAddress,
  queryParameters,
  searchedNames,
  searchOptions,
} from "../../../../web/src/features/output-search/search/search-query.ts";

const NAMES = ["sim/world", "sim/sensors/imu", "arm/controller", "two, words"];

test("a search of names takes groups, processes, patterns and parts of names", () => {
  const found = (text: string) => searchedNames(text, NAMES);
  expect(found("")).toEqual(NAMES);
  expect(found(" , ")).toEqual(NAMES);
  expect(found("sim")).toEqual(["sim/world", "sim/sensors/imu"]);
  expect(found("sim/world, arm")).toEqual(["sim/world", "arm/controller"]);
  expect(found("*/w*")).toEqual(["sim/world"]);
  expect(found("contr")).toEqual(["arm/controller"]);
  expect(found("nothing")).toEqual([]);
  // A name may contain what separates others.
  expect(found("two, words")).toEqual(["two, words"]);
  expect(chosenNames("sim imu *x", NAMES)).toEqual({ names: ["sim"], patterns: ["*imu*", "*x"] });
});

test("the address has what differs from an empty search, and leads to the same search", () => {
  expect(queryParameters(NEW_QUERY)).toEqual([]);
  const query = { pattern: "a & b", isRegex: true, matchesCase: true, names: "sim/*", since: 3_600 };
  expect(queryOfAddress(`?${new URLSearchParams(queryParameters(query))}`)).toEqual(query);
  const plain = { ...NEW_QUERY, pattern: "x" };
  expect(queryOfAddress(`?${new URLSearchParams(queryParameters(plain))}`)).toEqual(plain);
  expect(queryOfAddress("?view=search")).toBeNull();
  // An age that cannot be chosen would not be shown in the form.
  expect(queryOfAddress("?q=x&since=17")?.since).toBe(0);
});

test("a search ignores case unless it is to match it, and names only what was chosen", () => {
  expect(searchOptions({ ...NEW_QUERY, pattern: "x" }, NAMES)).toEqual({ regex: false, ignore_case: true, limit: 10_000 });
  expect(searchOptions({ ...NEW_QUERY, matchesCase: true, names: "sim", since: 300 }, NAMES)).toMatchObject({
    ignore_case: false,
    since: 300,
    names: ["sim"],
    patterns: [],
  });
});
