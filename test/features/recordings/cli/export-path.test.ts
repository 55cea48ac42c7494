import { expect, it } from "vitest";
import { defaultPath } from "../../../../src/features/recordings/cli/export.ts";

it.each(["..", ".", "...", ".hidden"])("the export of a recording named '%s' has a visible name", (name) => {
  const files = [defaultPath(name, "mcap", []), defaultPath(name, "csv", [])];
  for (const file of files) expect(file).toMatch(/^[^./]+\.(mcap|zip)$/);
});
