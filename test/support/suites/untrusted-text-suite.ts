import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { ACTS_ON_TERMINAL, HOSTILE } from "./untrusted-text.ts";

/** Places that print untrusted text, and what they print. */
export type Places = Readonly<Record<string, (text: string) => string>>;

/** Text from elsewhere reaches the terminal, but does not act on it. */
export function describeUntrustedText(places: Places): void {
  describe("untrusted text", () => {
    it.each(Object.entries(places))("does not act on a terminal: %s", (_place, show) => {
      // Of the selected row.
      const shown = show(HOSTILE).replaceAll("\x1b[7m", "").replaceAll("\x1b[0m", "");
      expect(shown).toContain("evil");
      expect(shown).toContain("end");
      expect(shown).not.toMatch(ACTS_ON_TERMINAL);
    });

    it.each(Object.entries(places))("stays as it is where it is harmless: %s", (_place, show) => {
      expect(show("größe-日本-🙂")).toContain("größe-日本-🙂");
    });
  });
}

/** How often each file of a folder writes to a terminal. */
export function writesOf(folder: string): Record<string, number> {
  const root = fileURLToPath(new URL("../../..", import.meta.url));
  const files = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
  const writes = files.flatMap((file): [string, number][] => {
    const found =
      readFileSync(join(root, folder, file), "utf8").match(/console\.\w+\(|\bstd(?:out|err)\.write\(|\bprinter\.print\(/g) ?? [];
    return found.length === 0 ? [] : [[join(folder, file), found.length]];
  });
  return Object.fromEntries(writes.sort());
}
