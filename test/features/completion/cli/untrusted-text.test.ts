import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { createProgram } from "../../../../src/cli/program.ts";
import { install } from "../../../../src/features/completion/cli/install.ts";

test("the place of an installed script is printed without characters that act on a terminal", async () => {
  const dir = mkdtempSync(join(tmpdir(), "mgr-completion-\u001b[2J"));
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  vi.stubEnv("BASH_COMPLETION_USER_DIR", dir);
  try {
    await install({ shell: "bash" }, createProgram());
    expect(log.mock.calls.flat().join("")).toContain("\\x1b[2J");
    expect(log.mock.calls.flat().join("")).not.toContain("\u001b");
  } finally {
    vi.unstubAllEnvs();
    log.mockRestore();
    rmSync(dir, { recursive: true });
  }
});
