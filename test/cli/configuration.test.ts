import { chownSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { configPath } from "../../src/cli/manager/config-path.ts";
import { loadConfig } from "../../src/cli/manager/configuration.ts";

const cwd = process.cwd();
let top: string;
let below: string;

beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "mgr-config-path-")));
  below = join(top, "src/driver");
  mkdirSync(below, { recursive: true });
  process.chdir(below);
});
afterEach(() => {
  process.chdir(cwd);
  rmSync(top, { recursive: true });
  vi.restoreAllMocks();
});

const configure = (folder: string) =>
  writeFileSync(join(folder, "mgr.yaml"), '{instance: {name: t, manager: "localhost:0", state_dir: state}, processes: {}}');

describe("a command without -c", () => {
  it("uses the file of the working folder, else the nearest one above, which is reported once", async () => {
    const stderr = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    configure(top);
    expect([configPath(undefined), configPath(undefined)]).toEqual(["../../mgr.yaml", "../../mgr.yaml"]);
    expect(stderr.mock.calls).toEqual([[`mgr: using ${top}/mgr.yaml\n`]]);
    expect((await loadConfig(undefined)).file).toBe(`${top}/mgr.yaml`);
    configure(below);
    expect(configPath(undefined)).toBe("mgr.yaml");
    expect(configPath("other.yaml")).toBe("other.yaml");
  });

  it("reports a missing file with an error that names mgr init", async () => {
    await expect(loadConfig(undefined)).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(/there is no mgr\.yaml in .* mgr init$/),
    });
    await expect(loadConfig("robot 1.yaml")).rejects.toMatchObject({
      exitCode: 2,
      message: "robot 1.yaml does not exist. Create it with: mgr init -c 'robot 1.yaml'",
    });
  });

  it("does not use a file above that belongs to another user", async () => {
    configure(top);
    const own = process.geteuid?.() ?? 0;
    // Only root can give a file away; for anyone else this one stays their own.
    if (own === 0) chownSync(join(top, "mgr.yaml"), 65_534, 65_534);
    else vi.spyOn(process, "geteuid").mockReturnValue(own + 1);
    await expect(loadConfig(undefined)).rejects.toMatchObject({ exitCode: 2, message: expect.stringContaining("belongs to another user") });
  });
});
