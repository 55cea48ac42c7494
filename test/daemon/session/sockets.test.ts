import {
  chmodSync,
  chownSync,
  lstatSync,
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
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { listenUnix } from "../../../src/bus/carriers/unix-listener.ts";
import { assertPrivate, runtimeFolders, socketDir } from "../../../src/daemon/session/sockets.ts";

const UUID = "0c7be9a2-6c41-4b0b-8ecb-7a6d6b2a4f11";
const HEX = "0c7be9a26c414b0b";
const SHARED = `mgr-${process.getuid?.()}`;

let folder = "";
let session = "";
let tmp = "";
let stateDir = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mgr-sockets-"));
  session = join(folder, "session");
  tmp = join(folder, "tmp");
  stateDir = join(folder, "state");
  for (const each of [session, tmp, stateDir]) mkdirSync(each);
  // The mode of a real /tmp: users can add files, but not replace files of others.
  chmodSync(tmp, 0o1777);
});
afterEach(() => rmSync(folder, { recursive: true }));

const dirOf = (base: string, state = stateDir) => socketDir({ uuid: UUID, stateDir: state, base, tmp });
const modeOf = (path: string) => statSync(path).mode & 0o777;

describe("the folder for sockets", () => {
  test("is named by the first 16 hex digits of the uuid, in the runtime folder, for us alone", () => {
    const dir = dirOf(session);
    expect(dir).toEqual({ path: join(session, "mgr", HEX), problems: [] });
    expect(modeOf(dir.path)).toBe(0o700);
    expect(modeOf(join(session, "mgr"))).toBe(0o700);
    expect(dirOf(session)).toEqual(dir);
  });

  test("is in /tmp when the runtime folder is gone", () => {
    expect(dirOf(join(folder, "gone"))).toEqual({ path: join(tmp, SHARED, HEX), problems: [] });
    expect(runtimeFolders(join(folder, "gone"))).toEqual([`/tmp/${SHARED}`]);
  });

  const taken: Record<string, [take: (path: string) => void, says: RegExp]> = {
    "a link": [(path) => symlinkSync(tmpdir(), path), /is a symbolic link/],
    "a file": [(path) => writeFileSync(path, ""), /is not a folder/],
    "a folder that is open to others": [
      (path) => {
        mkdirSync(path);
        chmodSync(path, 0o770);
      },
      /is open to others \(mode 770\); run: chmod 700/,
    ],
    "another user's folder": [
      (path) => {
        mkdirSync(path, { mode: 0o700 });
        chownSync(path, 12_345, 12_345);
      },
      /belongs to uid 12345, not to this user/,
    ],
  };
  // Only root can give a folder away.
  const cases = Object.entries(taken).filter(([name]) => process.getuid?.() === 0 || !name.startsWith("another user"));

  test.each(cases)("is below state_dir if %s has its name in /tmp: other users can create that first", (_, [take, says]) => {
    take(join(tmp, SHARED));
    const dir = dirOf("");
    expect(dir).toEqual({ path: join(stateDir, "run"), problems: [expect.stringMatching(says)] });
    expect(modeOf(dir.path)).toBe(0o700);
    expect(() => assertPrivate(join(tmp, SHARED))).toThrow(says);
  });

  test("is in /tmp when the folder of the session cannot be used", () => {
    writeFileSync(join(session, "mgr"), "");
    expect(dirOf(session)).toEqual({ path: join(tmp, SHARED, HEX), problems: [expect.stringContaining("is not a folder")] });
  });

  test("has a random name if no other is possible; the state folder links to it, also the next time", () => {
    const long = join(stateDir, "x".repeat(120));
    mkdirSync(long);
    writeFileSync(join(tmp, SHARED), "");
    const dir = dirOf("", long);
    expect(dir.path.startsWith(join(tmp, `${SHARED}-`))).toBe(true);
    expect(modeOf(dir.path)).toBe(0o700);
    expect(dir.problems).toEqual([expect.stringContaining("is not a folder"), expect.stringContaining("too long a path for sockets")]);
    expect(dirOf("", long).path).toBe(dir.path);
    rmSync(dir.path, { recursive: true });
    expect(dirOf("", long).path).not.toBe(dir.path);
  });

  test("is short enough for a socket, however long the path of the runtime folder is", async () => {
    const long = join(session, "x".repeat(120));
    mkdirSync(long);
    const { path } = dirOf(long);
    const listener = await listenUnix(join(path, "bus.sock"), { accept: (socket) => socket.destroy(), failed() {} });
    expect(lstatSync(join(path, "bus.sock")).isSocket()).toBe(true);
    await listener.close();
  });

  test("is refused with every reason when no folder can be used", () => {
    writeFileSync(join(tmp, SHARED), "");
    writeFileSync(join(stateDir, "run"), "precious");
    mkdirSync(join(stateDir, "run.link"));
    expect(() => dirOf("")).toThrow(/there is no folder for sockets: .*mgr-.*state\/run is not a folder/);
    expect(readFileSync(join(stateDir, "run"), "utf8")).toBe("precious");
  });
});
