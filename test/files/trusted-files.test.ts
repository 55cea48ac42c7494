import {
  chmodSync,
  chownSync,
  constants,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { isGroupOf } from "../../src/files/accounts.ts";
import { configurationRefusal } from "../../src/files/configuration.ts";
import { openStateFile, openStateFileAsync, readStateBytes, readStateText } from "../../src/files/state-file.ts";
import { makeStateFolder } from "../../src/files/state-folder.ts";

/** No account has these numbers. */
const STRANGER = 54_322;
const isRoot = process.geteuid?.() === 0;

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mgr-files-"));
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

function written(name: string, mode: number): string {
  const path = join(folder, name);
  writeFileSync(path, "content");
  chmodSync(path, mode);
  return path;
}

describe("a file of a state folder", () => {
  test("that is missing is read as null, and one that is created has mode 0600 under every umask", async () => {
    expect(readStateText(join(folder, "missing"))).toBeNull();
    expect(await readStateBytes(join(folder, "missing"))).toBeNull();
    const before = process.umask(0);
    try {
      const file = await openStateFileAsync(join(folder, "new"), constants.O_WRONLY | constants.O_CREAT);
      await file.close();
    } finally {
      process.umask(before);
    }
    expect(statSync(join(folder, "new")).mode & 0o777).toBe(0o600);
  });

  test.each([0o620, 0o602])("that others can write (mode %o) is refused, and is not emptied", async (mode) => {
    const path = written("state", mode);
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC;
    const refusal = `${path} can be written by other users (owner `;
    expect(() => openStateFile(path, flags)).toThrow(refusal);
    await expect(openStateFileAsync(path, flags)).rejects.toThrow(refusal);
    expect(() => readStateText(path)).toThrow(`run: chmod go-w ${path}`);
    expect(readFileSync(path, "utf8")).toBe("content");
  });

  test("that is a link, also to nothing, is refused and nothing is created there", () => {
    const target = join(folder, "target");
    symlinkSync(target, join(folder, "state"));
    expect(() => openStateFile(join(folder, "state"), constants.O_WRONLY | constants.O_CREAT)).toThrow(
      /is a symbolic link \(owner .*, mode 0777\)/,
    );
    expect(() => statSync(target)).toThrow("ENOENT");
  });

  test.runIf(isRoot)("of another user is refused, except where root may read all", () => {
    const path = written("state", 0o644);
    chownSync(path, STRANGER, STRANGER);
    expect(() => readStateText(path)).toThrow(
      `belongs to another user (owner uid ${STRANGER}, mode 0644), who can change it. Remove it: rm ${path}`,
    );
    expect(readStateText(path, { rootReadsAll: true })).toBe("content");
    vi.spyOn(process, "geteuid").mockReturnValue(1);
    expect(() => readStateText(path, { rootReadsAll: true })).toThrow("belongs to another user");
  });
});

describe("a state folder", () => {
  test("is made with mode 0700, and may be below a folder such as /tmp, or behind an own link", () => {
    chmodSync(folder, 0o1777);
    mkdirSync(join(folder, "real"), { mode: 0o700 });
    symlinkSync("real", join(folder, "link"));
    makeStateFolder(join(folder, "link/../link/state/of/mgr"));
    expect(statSync(join(folder, "real/state/of/mgr")).mode & 0o777).toBe(0o700);
  });

  test("made with a umask of 002 is used; one that every user can write, or replace, is not", () => {
    const state = join(folder, "state");
    mkdirSync(state);
    chmodSync(state, 0o775);
    // Only where the group is the user's own; that of a test's user may be another one.
    if (isGroupOf(statSync(state).gid, [process.geteuid?.() ?? 0])) expect(() => makeStateFolder(state)).not.toThrow();
    chmodSync(state, 0o1777);
    expect(() => makeStateFolder(state)).toThrow(`${state} can be written by every user`);
    chmodSync(state, 0o700);
    chmodSync(folder, 0o777);
    expect(() => makeStateFolder(state)).toThrow(`${folder} can be written by every user (owner `);
    expect(() => makeStateFolder(state)).toThrow(`who can replace ${state}. Check what is in it, then run: chmod go-w ${folder}`);
  });

  test("behind links that lead in a circle is an error", () => {
    symlinkSync("b", join(folder, "a"));
    symlinkSync("a", join(folder, "b"));
    expect(() => makeStateFolder(join(folder, "a/state"))).toThrow("more than 40 symbolic links");
  });
});

describe("a configuration", () => {
  const refusal = (path: string) => configurationRefusal(path, statSync(path));

  test("that only its owner can write is accepted, also if others can read it", () => {
    for (const mode of [0o600, 0o644, 0o755]) expect(refusal(written("mgr.yaml", mode))).toBeNull();
    expect(refusal(written("mgr.yaml", 0o646))).toContain("can be written by every user");
  });

  test.runIf(isRoot)("of another user is refused, unless that is the caller of sudo or the owner of the program", () => {
    const path = written("mgr.yaml", 0o644);
    chownSync(path, STRANGER, STRANGER);
    expect(refusal(path)).toContain(`belongs to another user (owner uid ${STRANGER}, mode 0644)`);
    vi.stubEnv("SUDO_UID", String(STRANGER));
    expect(refusal(path)).toBeNull();
    vi.stubEnv("SUDO_UID", "1");
    expect(refusal(path)).toContain("--trust-config");
    const program = written("program", 0o755);
    chownSync(program, STRANGER, STRANGER);
    const [node = "", before] = process.argv;
    process.argv.splice(0, 2, node, program);
    try {
      expect(refusal(path)).toBeNull();
    } finally {
      process.argv.splice(0, 2, node, ...(before === undefined ? [] : [before]));
    }
  });

  test("of root is used by other users", () => {
    const path = written("mgr.yaml", 0o644);
    if (isRoot) vi.spyOn(process, "geteuid").mockReturnValue(STRANGER);
    expect(refusal(isRoot ? path : "/etc/passwd")).toBeNull();
  });
});

describe("a group", () => {
  test("is a user's own if it has no other member; one that is not in /etc/group belongs to the user with its number", () => {
    expect(isGroupOf(STRANGER, [STRANGER])).toBe(true);
    expect(isGroupOf(STRANGER, [STRANGER + 1])).toBe(false);
    const other = readFileSync("/etc/passwd", "utf8")
      .split("\n")
      .map((line) => line.split(":"))
      .find(([, , uid]) => Number(uid) !== 0);
    const [, , uid, gid] = other ?? [];
    expect(isGroupOf(Number(gid), [STRANGER])).toBe(false);
    expect(isGroupOf(Number(gid), [Number(uid), STRANGER])).toBe(isGroupOf(Number(gid), [Number(uid)]));
  });
});
