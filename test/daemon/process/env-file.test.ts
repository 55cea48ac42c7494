import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { MgrError } from "../../../src/base/errors.ts";
import { parseEnvFile } from "../../../src/daemon/process/env-file.ts";
import { HostRig, spec } from "../support/hosts.ts";

const folder = mkdtempSync(join(tmpdir(), "mgr-env-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const parse = (text: string) => ({ ...parseEnvFile(text, ".env") });
const problem = (text: string): string => {
  try {
    parse(text);
  } catch (error) {
    expect(error).toBeInstanceOf(MgrError);
    return (error as MgrError).message;
  }
  throw new Error("it was accepted");
};

describe("an env file", () => {
  test("holds assignments, comments, empty lines and export", () => {
    expect(parse("\ufeffA=1\r\n\n# comment\n  export B = two words  # why\nC=\nD=a#b\nE=x=y\na.b=odd\n")).toEqual({
      A: "1",
      B: "two words",
      C: "",
      D: "a#b",
      E: "x=y",
      "a.b": "odd",
    });
  });

  test("takes single quotes literally, and escapes in double quotes; both over several lines", () => {
    expect(parse('A=\'$HOME \\n #\' # why\nB="a\\nb\\t\\"c\\" \\$x \\\\ \\d"\nC="one\ntwo"\nD=\'one\n\'\n')).toEqual({
      A: "$HOME \\n #",
      B: 'a\nb\t"c" $x \\ \\d',
      C: "one\ntwo",
      D: "one\n",
    });
  });

  test("that cannot be parsed is reported with file and line", () => {
    expect(problem("A=1\nnonsense\n")).toBe("env_file '.env', line 2: 'nonsense' is not NAME=value; begin a comment with #");
    expect(problem('A=1\n\nB="x\ny\n')).toBe("env_file '.env', line 3: the value of 'B' begins with \", which is not closed");
    expect(problem("A='x' y\n")).toBe("env_file '.env', line 1: 'y' follows the closing quote of 'A'");
    expect(problem("A=x\0y\n")).toContain("line 1: it contains a NUL");
    expect(problem("=x\n")).toContain("line 1");
  });

  test("returns every value that was quoted for it", () => {
    const value = fc.string({ unit: fc.constantFrom("a", " ", "#", "'", '"', "\\", "$", "\n", "=", "ü", "n") });
    fc.assert(
      fc.property(fc.array(value, { maxLength: 5 }), (values) => {
        const quoted = values.map((text, index) => `V${index}="${text.replace(/[\\"$]/g, "\\$&")}"`);
        expect(parse(quoted.join("\n"))).toEqual(Object.fromEntries(values.map((text, index) => [`V${index}`, text])));
      }),
    );
  });
});

describe("the environment of a run", () => {
  test("is the configuration's before the files', a later file's before an earlier one's, and those before what is inherited", async () => {
    writeFileSync(join(folder, "a.env"), "LANG=a\nX=a\nY=a\nZ=a\n");
    writeFileSync(join(folder, "b.env"), "Y=b\nZ=b\nMGR_RUN=forged\n");
    await using rig = await HostRig.open();
    const run = await rig.spawn(
      spec("p", 'echo "$LANG $X $Y $Z $MGR_RUN"', {
        base_dir: folder,
        env_files: ["a.env", join(folder, "b.env")],
        environment: { Z: "c" },
        inherited: { LANG: "C", PATH: "/usr/bin:/bin" },
      }),
    );
    rig.watch("p");
    await rig.event(run, "extinct");
    expect(rig.sent("p")).toBe(`a a b c ${rig.host.streamId}:1-1\r\n`);
  });

  test("cannot be made from a file that is missing, a folder, or wrong: spawn_failed, and no run", async () => {
    writeFileSync(join(folder, "bad.env"), "X\n");
    await using rig = await HostRig.open();
    const attempt = (file: string) =>
      rig.spawn(spec("p", "true", { base_dir: folder, env_files: [file] })).then(
        () => "started",
        (error: MgrError) => `${error.code}: ${error.message}`,
      );
    expect(await attempt("none.env")).toMatch(/^spawn_failed: env_file '.*\/none\.env' does not exist; create it, or change 'env_file'$/);
    expect(await attempt(".")).toMatch(/^spawn_failed: env_file '.*' cannot be read: it is not a regular file/);
    expect(await attempt("bad.env")).toMatch(/^spawn_failed: env_file '.*\/bad\.env', line 1:/);
    expect(rig.host.livingRuns).toBe(0);
  });
});
