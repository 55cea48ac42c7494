import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { expect, test, vi } from "vitest";
import { status } from "../../../../src/features/service/cli/status.ts";

test("what systemd says about a unit is printed without characters that act on a terminal", async () => {
  const dir = mkdtempSync(join(tmpdir(), "mgr-systemctl-"));
  writeFileSync(
    join(dir, "systemctl"),
    "#!/bin/sh\nprintf 'LoadState=loaded\\nActiveState=active\\nSubState=a\\033[2Jb\\nResult=success\\nMainPID=1\\n'\n",
  );
  chmodSync(join(dir, "systemctl"), 0o755);
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  vi.stubEnv("PATH", `${dir}${delimiter}${process.env.PATH}`);
  try {
    await status({ name: "bench" });
    expect(log.mock.calls.flat().join("")).toContain("bench.service is active (a\\x1b[2Jb), pid 1");
  } finally {
    vi.unstubAllEnvs();
    log.mockRestore();
    rmSync(dir, { recursive: true });
  }
});
