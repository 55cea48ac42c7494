import { expect, it } from "vitest";
import { defaultPath, recordExport } from "../../../../src/features/recordings/cli/export.ts";

it.each(["..", ".", "...", ".hidden"])("the export of a recording named '%s' has a visible name", (name) => {
  const files = [defaultPath(name, "mcap", []), defaultPath(name, "csv", [])];
  for (const file of files) expect(file).toMatch(/^[^./]+\.(mcap|zip)$/);
});

it("an export below a folder that cannot be made names its target and what to change", async () => {
  await expect(recordExport("a.mcap", "/proc/mgr-none/b.zip", { format: "csv" })).rejects.toThrow(
    /^\/proc\/mgr-none\/b\.zip cannot be written: ENOENT: .*, mkdir '\/proc\/mgr-none'; choose another name with --output$/,
  );
});
