import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { RunningNote, runningInstance, unchangedInstance } from "../../src/app/local-daemon/running-instance.ts";
import { loadInstance } from "../../src/cli/manager/configuration.ts";
import { loadConfigFile } from "../../src/config/load/load.ts";

const PLAIN = '{instance: {name: t, manager: "localhost:0"}, include: ["more/*.yaml"], processes: {}}';

let folder: string;
let file: string;
let note: RunningNote;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "mgr-running-")));
  file = join(folder, "mgr.yaml");
  vi.stubEnv("XDG_RUNTIME_DIR", folder);
  vi.stubEnv("XDG_STATE_HOME", folder);
});
afterEach(() => {
  note.remove();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

/** As a manager that started with this text. */
async function runWith(text: string) {
  writeFileSync(file, text);
  const config = await loadConfigFile(file);
  note = new RunningNote(config);
  note.keep();
  return config.instance;
}

describe("the note of a running manager stands for its file", () => {
  test("while the file is as the manager read it: a command does not load it", async () => {
    const { state_dir } = await runWith(PLAIN);
    expect(unchangedInstance(file)).toEqual({
      name: "t",
      manager: { host: "localhost", port: 0 },
      state_dir,
      webui_auth_file: null,
      https_only: false,
    });
    expect(await loadInstance(file)).toEqual(unchangedInstance(file));
    note.remove();
    expect(unchangedInstance(file)).toBeNull();
  });

  test("but not after a change: a command reads the file, or reports that it cannot", async () => {
    const stderr = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    await runWith(PLAIN);
    writeFileSync(file, PLAIN.replace("name: t", "name: other"));
    expect(unchangedInstance(file)).toBeNull();
    expect((await loadInstance(file)).name).toBe("other");
    expect(stderr).not.toHaveBeenCalled();
    writeFileSync(file, "processes: {p: [");
    expect((await loadInstance(file)).name).toBe("t");
    expect(String(stderr.mock.calls)).toContain("cannot be used");
  });

  test("a profile that has no file is reported with the check that names it", async () => {
    const stderr = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    await runWith(PLAIN);
    expect((await loadInstance(file, { profile: ["none"] })).name).toBe("t");
    expect(String(stderr.mock.calls)).toContain("cannot be used (see: mgr check --profile none); connecting to 't'");
  });

  // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how it is written in the file.
  test.each(["${ROBOT}", "\\x24{ROBOT}"])(
    "but not where the file depends on the environment, which may be another one: %s",
    async (name) => {
      vi.stubEnv("ROBOT", "one");
      await runWith(PLAIN.replace("name: t", () => `name: "${name}"`));
      vi.stubEnv("ROBOT", "two");
      expect(unchangedInstance(file)).toBeNull();
      expect((await loadInstance(file)).name).toBe("two");
    },
  );

  test("but not with another state folder, where another manager of the same file may run", async () => {
    await runWith(PLAIN);
    vi.stubEnv("XDG_STATE_HOME", join(folder, "other"));
    expect(runningInstance(file)?.name).toBe("t");
    expect(unchangedInstance(file)).toBeNull();
    expect((await loadInstance(file)).state_dir).toBe(join(folder, "other/mgr/t"));
  });
});
