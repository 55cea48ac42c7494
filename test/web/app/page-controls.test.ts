import { describe, expect, test } from "vitest";
import { resultText, searchProblem } from "../../../web/src/terminal/places/search-query.ts";
import { nextItem } from "../../../web/src/ui/menu-keys.ts";
import { nameParts } from "../../../web/src/ui/name-parts.ts";

describe("the results of a search", () => {
  const query = (text: string, regex = false) => ({ text, regex, caseSensitive: false });

  test.each([
    [query(""), { index: -1, count: 0 }, ""],
    [query("x"), { index: 2, count: 17 }, "3 of 17"],
    [query("x"), { index: -1, count: 1 }, "1 match"],
    [query("x"), { index: -1, count: 0 }, "No matches"],
    [query("x"), { index: -1, count: 1_000 }, "1,000+ matches"],
    [query("(", true), { index: -1, count: 0 }, "Invalid expression"],
    [query("a*", true), { index: -1, count: 0 }, "Matches empty text"],
  ])("%j with %j: %s", (asked, results, text) => expect(resultText(asked, results)).toBe(text));

  test("text that is not an expression is a problem only in expression mode", () => {
    expect(searchProblem(query("("))).toBeNull();
    expect(searchProblem(query("exit code \\d+", true))).toBeNull();
  });
});

test("keys of a menu: arrows wrap around, Home and End go to its ends, letters to the next item that begins with them", () => {
  const labels = ["Copy", "Download", "Clear"];
  const next = (key: string, at: number) => nextItem(key, { labels, at });
  expect([next("ArrowDown", 0), next("ArrowDown", 2), next("ArrowUp", 0), next("ArrowUp", -1)]).toEqual([1, 0, 2, 2]);
  expect([next("Home", 2), next("End", 0)]).toEqual([0, 2]);
  expect([next("c", 0), next("C", 2), next("d", 1), next("x", 0)]).toEqual([2, 0, 1, null]);
  expect([next("Enter", 0), next(" ", 0)]).toEqual([null, null]);
});

test.each([
  ["sim/world", "sim", "", "world"],
  ["lidar_front_left_calibration", "", "lidar_front_left", "_calibration"],
  ["a/b/camera-0001", "a/b", "camera", "-0001"],
  ["preprocessing_and_calibration_of_everything_x", "", "preprocessing_and_calibration_of_eve", "rything_x"],
  ["averylongnamewithoutwords", "", "averylongnamewit", "houtwords"],
])("%s is shortened between its parts", (name, groups, head, tail) => expect(nameParts(name)).toEqual({ groups, head, tail }));
