import { expect, it } from "vitest";
import { shortened } from "../../src/base/text-length.ts";

it("shortens by characters, not by their UTF-16 units, and marks that there was more", () => {
  expect(shortened("abc", 3)).toBe("abc");
  expect(shortened("abcd", 3)).toBe("abc…");
  expect(shortened("😀😀😀", 3)).toBe("😀😀😀");
  expect(shortened("😀😀😀😀", 3)).toBe("😀😀😀…");
  expect(shortened(`a${"😀".repeat(1_000)}`, 2)).toBe("a😀…");
});
