import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { parseAuthFile } from "../../../src/http/auth/auth-entries.ts";
import { AuthFile } from "../../../src/http/auth/auth-file.ts";
import { Credentials } from "../../../src/http/auth/credentials.ts";
import { hashPassword, matchesPasswordHash, parsePasswordHash } from "../../../src/http/auth/password-hash.ts";
import { basic, GOOD, PASSWORD, Rig, USER } from "../rig.ts";

describe("the format", () => {
  test("an entry is split at the first blank; empty lines and comments are skipped", () => {
    const { entries, problems } = parseAuthFile("# users\n\nann pass word \r\n   \nbob\t tabbed\nélodie 密码\n#x y\n");
    expect(entries.map(({ user, secret }) => [user, secret])).toEqual([
      ["ann", "pass word "],
      ["bob", " tabbed"],
      ["élodie", "密码"],
    ]);
    expect(problems).toEqual([]);
  });

  test("lines that are not entries are skipped and reported, without their passwords", () => {
    const { entries, problems } = parseAuthFile("alone\nempty \na:b secret\nann one\nann two\nhash $scrypt$nonsense\n lead secret\n");
    expect(entries.map(({ user, secret }) => [user, secret])).toEqual([["ann", "one"]]);
    expect(problems.map((problem) => problem.split(" ").slice(0, 2).join(" "))).toEqual([
      "line 1",
      "line 2",
      "line 3",
      "line 5",
      "line 6",
      "line 7",
    ]);
    expect(problems.join()).not.toMatch(/secret|two|nonsense/);
  });
});

describe("password hashes", () => {
  test("a hash of hashPassword is accepted for its password alone", async () => {
    const text = await hashPassword("pass word");
    expect(text).toMatch(/^\$scrypt\$ln=15,r=8,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    const hash = parsePasswordHash(text);
    expect(hash && (await matchesPasswordHash(hash, "pass word"))).toBe(true);
    expect(hash && (await matchesPasswordHash(hash, "pass  word"))).toBe(false);
  });

  test("the vector of RFC 7914, section 12", async () => {
    const expected = Buffer.from(
      "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640",
      "hex",
    );
    const hash = parsePasswordHash(`$scrypt$ln=10,r=8,p=16$${Buffer.from("NaCl").toString("base64")}$${expected.toString("base64")}`);
    expect(hash && (await matchesPasswordHash(hash, "password"))).toBe(true);
  });

  test.each([
    "$scrypt$",
    "$scrypt$ln=15,r=8$c2FsdA$aGFzaA",
    "$scrypt$ln=30,r=8,p=1$c2FsdHNhbHQ$aGFzaGhhc2hoYXNoaGFzaGhhc2g",
    "$scrypt$ln=0,r=8,p=1$c2FsdHNhbHQ$aGFzaGhhc2hoYXNoaGFzaGhhc2g",
  ])("%s is malformed or too expensive", (text) => expect(parsePasswordHash(text)).toBeNull());

  // More than thirty hashes take minutes while other programs have the processors.
  test("a check that waits too long is refused", { timeout: 600_000 }, async () => {
    const credentials = new Credentials();
    const { entries } = parseAuthFile(`ann ${await hashPassword("right")}\n`);
    const checks = Array.from({ length: 60 }, (_, index) => credentials.check(entries, "ann", `wrong ${index}`));
    const outcomes = await Promise.all(checks);
    expect(outcomes.filter((outcome) => outcome === "busy").length).toBe(60 - 34);
    expect(outcomes.filter((outcome) => outcome === null).length).toBe(34);
    // Equal checks at once are one check, and a success is remembered.
    const right = await Promise.all(Array.from({ length: 60 }, () => credentials.check(entries, "ann", "right")));
    expect(right.every((outcome) => outcome === entries[0])).toBe(true);
  });
});

describe("the file", () => {
  let folder = "";
  let path = "";
  const logged: string[] = [];
  const open = () => new AuthFile(path, (level, msg) => logged.push(`${level}: ${msg}`));
  const refusalOf = (file: AuthFile) => {
    const state = file.read();
    return state.ok ? null : state.refusal;
  };
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "mgr-auth-"));
    path = join(folder, "webui.keys");
    logged.length = 0;
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test("not configured: the refusal says how to create one and where to name it", () => {
    const refusal = refusalOf(new AuthFile(null, () => {}));
    expect(refusal).toMatch(/umask 077; echo 'USER PASSWORD' > webui\.keys/);
    expect(refusal).toMatch(/webui_auth_file/);
    expect(refusal).toMatch(/MGR_WEBUI_AUTH_FILE/);
  });

  test("the command of the refusal creates a file that is accepted", () => {
    path = join(folder, "it's a file");
    const file = open();
    const command = /\(umask 077; .*\)/.exec(refusalOf(file) ?? "")?.[0] ?? "";
    execFileSync("/bin/sh", ["-c", command]);
    expect(file.read()).toEqual({ ok: true, entries: [{ user: "USER", secret: "PASSWORD", hash: null }] });
  });

  test.each([0o640, 0o604, 0o644, 0o620, 0o602, 0o666, 0o777])("mode %o is refused, and says chmod 600", (mode) => {
    writeFileSync(path, "ann x\n");
    chmodSync(path, mode);
    expect(refusalOf(open())).toContain(`chmod 600 ${path}`);
  });

  test.each([0o600, 0o400, 0o700])("mode %o is accepted", (mode) => {
    writeFileSync(path, "ann x\n");
    chmodSync(path, mode);
    expect(refusalOf(open())).toBeNull();
  });

  test("of another user is refused, and says chown; root's is accepted", () => {
    writeFileSync(path, "ann x\n", { mode: 0o600 });
    const own = process.geteuid?.() ?? 0;
    // Root makes the file another user's, everyone else plays another user.
    if (own === 0) chownSync(path, 4_242, -1);
    else vi.spyOn(process, "geteuid").mockReturnValue(own + 1);
    expect(refusalOf(open())).toMatch(/belongs to another user \(uid \d+\).* chown \d+ /);
    vi.restoreAllMocks();
    if (own !== 0) return;
    chownSync(path, 0, -1);
    vi.spyOn(process, "geteuid").mockReturnValue(4_242);
    expect(refusalOf(open())).toBeNull();
    vi.restoreAllMocks();
  });

  test("missing, a folder, a FIFO, a device, too large, not UTF-8, without entries: refused at once, each with its reason", () => {
    expect(refusalOf(open())).toMatch(/is missing/);
    mkdirSync(path);
    expect(refusalOf(open())).toMatch(/is not a regular file/);
    rmSync(path, { recursive: true });
    execFileSync("/bin/sh", ["-c", 'mkfifo -m 600 "$1"', "sh", path]);
    expect(refusalOf(open())).toMatch(/is not a regular file/);
    rmSync(path);
    symlinkSync("/dev/zero", path);
    expect(refusalOf(open())).toMatch(/is not a regular file/);
    rmSync(path);
    writeFileSync(path, Buffer.alloc(1024 * 1024 + 1, "a"), { mode: 0o600 });
    expect(refusalOf(open())).toMatch(/is larger than/);
    writeFileSync(path, Buffer.from([0x61, 0x20, 0xff]));
    expect(refusalOf(open())).toMatch(/is not UTF-8/);
    writeFileSync(path, "# nobody\n");
    expect(refusalOf(open())).toMatch(/has no entries/);
    rmSync(path);
    symlinkSync(path, path);
    expect(refusalOf(open())).toMatch(/cannot be read/);
  });

  test("a symlink is checked by its target", () => {
    const target = join(folder, "target");
    writeFileSync(target, "ann x\n", { mode: 0o600 });
    symlinkSync(target, path);
    expect(refusalOf(open())).toBeNull();
    chmodSync(target, 0o644);
    expect(refusalOf(open())).toMatch(/group or others/);
  });

  test("is read again whenever it changes, however quickly", () => {
    const file = open();
    for (let index = 0; index < 50; index++) {
      writeFileSync(path, `ann ${1_000 + index}\n`, { mode: 0o600 });
      const state = file.read();
      expect(state.ok && state.entries[0]?.secret).toBe(String(1_000 + index));
    }
  });

  test("the reason of a refusal is logged once, and problems of a content once", () => {
    writeFileSync(path, "alone\nann x\n", { mode: 0o600 });
    const file = open();
    for (let index = 0; index < 3; index++) file.read();
    expect(logged).toEqual([expect.stringContaining("line 1 ")]);
    chmodSync(path, 0o644);
    for (let index = 0; index < 3; index++) file.read();
    expect(logged).toHaveLength(2);
  });
});

describe("every login is refused while the file is refused, and works again once it is fixed", () => {
  test.each([
    ["readable by others", (rig: Rig) => chmodSync(rig.authFile, 0o644)],
    ["missing", (rig: Rig) => rmSync(rig.authFile)],
  ])("%s", async (_, spoil) => {
    await using rig = await Rig.start();
    const cookie = await rig.cookie();
    const ways = [{ cookie }, { authorization: GOOD }, { authorization: "Bearer token" }, {}];
    spoil(rig);
    for (const headers of ways) {
      const response = await rig.get("/", headers as Record<string, string>);
      expect(response.status).toBe(403);
      expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
      expect(await response.text()).toContain(rig.authFile);
    }
    rig.writeAuth(`${USER} ${PASSWORD}\n`);
    expect((await rig.get("/", { cookie })).status).toBe(200);
  });

  test("without a configured file the manager runs and refuses with the explanation", async () => {
    await using rig = await Rig.start({ authFile: null });
    const response = await rig.get("/", { authorization: GOOD });
    expect(response.status).toBe(403);
    expect(await response.text()).toContain("MGR_WEBUI_AUTH_FILE");
    expect((await rig.get("/mgr/health")).status).toBe(200);
  });

  test("a hashed password logs in", async () => {
    await using rig = await Rig.start();
    rig.writeAuth(`${USER} ${await hashPassword(PASSWORD)}\n`);
    expect((await rig.get("/", { authorization: GOOD })).status).toBe(200);
    expect((await rig.get("/", { authorization: basic(USER, "wrong") })).status).toBe(401);
    expect((await rig.get("/", { authorization: basic("nobody", PASSWORD) })).status).toBe(401);
  });
});
