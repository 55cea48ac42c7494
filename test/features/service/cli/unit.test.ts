import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { unitPlace } from "../../../../src/features/service/cli/unit-place.ts";
import { daemonUnit, managerUnit } from "../../../../src/features/service/cli/unit-text.ts";

const PROGRAM = ["/usr/bin/env", "mgr"];

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "mgr unit %h $HOME "));
});
afterAll(() => rmSync(dir, { recursive: true }));

/** What systemd says about a unit; an option that it does not know yet is no problem. */
async function verified(name: string, text: string): Promise<string[]> {
  const file = join(dir, name);
  writeFileSync(file, text);
  const { stderr } = await promisify(execFile)("systemd-analyze", ["--man=no", "verify", file]);
  return stderr.split("\n").filter((line) => line !== "" && !line.includes("DelegateSubgroup"));
}

test("systemd accepts the units, with paths that have spaces, quotes, % and $", async () => {
  const common = { program: PROGRAM, runAs: "root", folder: dir, environment: ['A=b c "d"', "PATH=/bin:/usr/bin"] };
  const manager = managerUnit({ ...common, description: "100 %", configuration: ["-c", `${dir}/mgr "1".yaml`] });
  expect(await verified("a.service", manager)).toEqual([]);
  expect(await verified("b.service", daemonUnit({ ...common, description: "rt1", daemon: ["--host", "rt 1"] }))).toEqual([]);
});

test("units escape what systemd would replace, and refuse lines", () => {
  const base = { program: ["/opt/50%/mgr"], runAs: null, folder: "/srv/a b", environment: ["X=$Y"], description: "d" };
  const text = managerUnit({ ...base, configuration: ["-c", "/srv/$a/%b.yaml"] });
  expect(text).toContain("ExecStart=/opt/50%%/mgr up --no-output -c /srv/$$a/%%b.yaml\n");
  expect(text).toContain("Environment=X=$Y\n");
  expect(text).toContain("WorkingDirectory=/srv/a b\n");
  expect(text).not.toContain("User=");
  expect(() => managerUnit({ ...base, configuration: ["-c", "a\nExecStart=/bin/evil"] })).toThrow(/control characters/);
});

test("a unit has a name that systemd allows", () => {
  expect(unitPlace({ name: "bench-1.service" })).toMatchObject({ unit: "bench-1.service", file: "/etc/systemd/system/bench-1.service" });
  for (const name of ["../evil", "a b", "x@", ""]) expect(() => unitPlace({ name }), name).toThrow(/cannot name a unit/);
});
