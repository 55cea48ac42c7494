import { expect, it } from "vitest";
import { shortened } from "../../../src/base/text/text-length.ts";

it("a text is shortened by characters, not by UTF-16 units, and its end is marked", () => {
  expect(shortened("abc", 3)).toBe("abc");
  expect(shortened("abcd", 3)).toBe("abc…");
  expect(shortened("😀😀😀", 3)).toBe("😀😀😀");
  expect(shortened("😀😀😀😀", 3)).toBe("😀😀😀…");
  expect(shortened(`a${"😀".repeat(1_000)}`, 2)).toBe("a😀…");
});
