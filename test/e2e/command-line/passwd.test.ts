import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, lstatSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { parseAuthFile } from "../../../src/http/auth/auth-entries.ts";
import { matchesPasswordHash } from "../../../src/http/auth/password-hash.ts";
import { PROGRAM } from "../support/instance.ts";

const folder = mkdtempSync(join(tmpdir(), "mgr-passwd-"));
const keys = join(folder, "webui.keys");
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => {
  rmSync(keys, { force: true });
  writeFileSync(join(folder, "mgr.yaml"), "instance: {name: t, manager: ':0', webui_auth_file: ./webui.keys}\n");
});

/** `mgr passwd …` as a user runs it. */
function passwd(args: string[], input = "", environment: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, "passwd", ...args], {
    cwd: folder,
    input,
    encoding: "utf8",
    env: { PATH: process.env.PATH ?? "", ...environment },
  });
  return { status, stdout, stderr };
}

describe("mgr passwd USER", () => {
  test("--stdin creates the file with mode 0600, and replaces the line of that user alone", async () => {
    expect(passwd(["ann", "--stdin", "--plain"], "one two\n")).toMatchObject({ status: 0, stdout: "" });
    expect(readFileSync(keys, "utf8")).toBe("ann one two\n");
    expect(statSync(keys).mode & 0o777).toBe(0o600);
    writeFileSync(keys, "# ann is the boss\nann old\n\nbob his\n");
    chmodSync(keys, 0o644);
    expect(passwd(["ann", "--stdin", "--plain"], "new\r\nrest").status).toBe(0);
    expect(readFileSync(keys, "utf8")).toBe("# ann is the boss\nann new\n\nbob his\n");
    expect(statSync(keys).mode & 0o777).toBe(0o600);
  });

  test("--plain warns that programs can read the password in the file", () => {
    const { stderr } = passwd(["ann", "--stdin", "--plain"], "secret\n");
    expect(stderr).toContain("programs that can read the file can log in with it");
  });

  test("--generate prints a new password each time; the file has its scrypt hash, and the command says what that means", async () => {
    const { status, stdout, stderr } = passwd(["ann", "--generate"]);
    const password = stdout.trim();
    expect([status, password]).toEqual([0, expect.stringMatching(/^[\w-]{24}$/)]);
    expect(stderr).toContain("only a hash of the password");
    expect(readFileSync(keys, "utf8")).toMatch(/^ann \$scrypt\$ln=15,r=8,p=1\$\S+\n$/);
    const [entry] = parseAuthFile(readFileSync(keys, "utf8")).entries;
    expect(entry?.hash && (await matchesPasswordHash(entry.hash, password))).toBe(true);
  });

  test("asks twice on a terminal and does not show the input", () => {
    const typed = (first: string, second: string) =>
      execFileSync(
        "python3",
        [
          "-c",
          `
import os, pty, sys
pid, fd = pty.fork()
if pid == 0: os.execv(sys.argv[1], sys.argv[1:-2])
shown = b""
for question, answer in ((b"of 'ann': ", sys.argv[-2]), (b"Repeat the password: ", sys.argv[-1])):
    while question not in shown: shown += os.read(fd, 4096)
    os.write(fd, answer.encode() + b"\\r")
try:
    while True: shown += os.read(fd, 4096)
except OSError: pass
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), shown.decode())
`,
          ...[process.execPath, PROGRAM, "passwd", "--plain", "ann", first, second],
        ],
        { cwd: folder, encoding: "utf8" },
      );
    const shown = typed("geheim", "geheim");
    expect(shown).toMatch(/^0 /);
    expect(shown).not.toContain("geheim");
    expect(readFileSync(keys, "utf8")).toBe("ann geheim\n");
    expect(typed("one", "other")).toMatch(/^1 [\s\S]*do not match/);
    expect(readFileSync(keys, "utf8")).toBe("ann geheim\n");
  });

  test("a symbolic link stays one, and MGR_WEBUI_AUTH_FILE and --file name other files", () => {
    const target = join(folder, "target.keys");
    writeFileSync(target, "", { mode: 0o600 });
    symlinkSync(target, keys);
    expect(passwd(["ann", "--stdin", "--plain"], "x\n").status).toBe(0);
    expect([lstatSync(keys).isSymbolicLink(), readFileSync(target, "utf8")]).toEqual([true, "ann x\n"]);
    passwd(["ann", "--stdin", "--plain"], "y\n", { MGR_WEBUI_AUTH_FILE: "./other.keys" });
    passwd(["ann", "--stdin", "--plain", "--file", "third.keys"], "z\n", { MGR_WEBUI_AUTH_FILE: "./other.keys" });
    expect([target, "other.keys", "third.keys"].map((name) => readFileSync(join(folder, name.replace(`${folder}/`, "")), "utf8"))).toEqual([
      "ann x\n",
      "ann y\n",
      "ann z\n",
    ]);
  });

  test.each([
    [["a:b", "--stdin"], "x\n", 2, "is not a valid user name"],
    [["a b", "--stdin"], "x\n", 2, "is not a valid user name"],
    [["#a", "--stdin"], "x\n", 2, "is not a valid user name"],
    [["ann", "--stdin"], "\n", 2, "the password is empty"],
    [["ann", "--stdin", "--plain"], "$scrypt$x\n", 2, "--plain"],
    [["ann"], "x\n", 2, "without a terminal"],
    [["ann", "--stdin", "--generate"], "x\n", 2, "cannot be combined"],
    [["ann", "--stdin", "--file", "/dev/null"], "x\n", 1, "is not regular"],
    [["ann", "--stdin", "-c", "none.yaml"], "x\n", 2, "does not exist"],
    [["ann", "--stdin", "--file", "none/webui.keys"], "x\n", 1, "cannot write"],
  ])("%j is refused, and nothing is changed", (args, input, status, message) => {
    writeFileSync(keys, "ann old\n", { mode: 0o600 });
    const result = passwd(args, input);
    expect([result.status, result.stderr]).toEqual([status, expect.stringContaining(message)]);
    expect(readFileSync(keys, "utf8")).toBe("ann old\n");
  });
});
