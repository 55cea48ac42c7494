import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { spaceFindings, stateFolderFinding } from "../../../../src/features/doctor/cli/checks/folders.ts";
import { hostFinding } from "../../../../src/features/doctor/cli/checks/hosts.ts";
import { machineFindings } from "../../../../src/features/doctor/cli/checks/machine.ts";
import { certificateFindings, portFinding } from "../../../../src/features/doctor/cli/checks/port.ts";

const MS_PER_DAY = 86_400_000;

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "mgr-doctor-"));
});
afterAll(() => rmSync(dir, { recursive: true }));

test("low limits of open files and processes, and a missing cgroup v2, are warnings that say what to raise", () => {
  const limits = execFileSync("bash", ["-c", "ulimit -n 1000; ulimit -u 500; exec cat /proc/self/limits"]);
  writeFileSync(join(dir, "limits"), limits);
  writeFileSync(join(dir, "cgroup"), "1:memory:/\n");
  expect(machineFindings(dir)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ check: "open files", level: "warning", found: "at most 1000" }),
      expect.objectContaining({ check: "processes", level: "warning", advice: expect.stringContaining("LimitNPROC") }),
      expect.objectContaining({ check: "cgroups", level: "warning", found: "no cgroup v2 is mounted" }),
    ]),
  );
});

test("a cgroup with all controllers is fine, and one with a low limit of tasks is not", () => {
  const cgroup = join(dir, "fs/unit");
  mkdirSync(cgroup, { recursive: true });
  writeFileSync(join(dir, "cgroup"), "0::/unit\n");
  writeFileSync(join(dir, "mountinfo"), `30 20 0:26 / ${dir}/fs rw - cgroup2 cgroup2 rw\n`);
  for (const [file, text] of Object.entries({ "cgroup.controllers": "cpu io memory pids", "cgroup.procs": "", "pids.max": "300" }))
    writeFileSync(join(cgroup, file), `${text}\n`);
  const found = machineFindings(dir);
  expect(found).toContainEqual({ check: "cgroups", level: "ok", found: `cgroup v2 with memory, cpu, io at ${cgroup}`, advice: null });
  expect(found).toContainEqual(expect.objectContaining({ check: "tasks", level: "warning", advice: expect.stringContaining("TasksMax") }));
});

test("a state folder that other users can change is an error; one that is missing is not", () => {
  const folder = join(dir, "state");
  expect(stateFolderFinding(folder)).toMatchObject({ level: "ok", found: `${folder}, which the manager creates` });
  mkdirSync(folder);
  chmodSync(folder, 0o777);
  expect(stateFolderFinding(folder)).toMatchObject({ level: "error", found: expect.stringContaining(folder) });
});

test("free space is reported once for folders of one file system", () => {
  expect(spaceFindings([dir, join(dir, "missing/deep")])).toEqual([
    expect.objectContaining({ check: "disk", found: expect.stringContaining(dir) }),
  ]);
});

test("a port of another program is an error that names the program", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as { port: number };
  const instance = { manager: { host: "127.0.0.1", port } };
  expect(await portFinding(instance, false)).toMatchObject({
    level: "error",
    found: expect.stringContaining(`used by pid ${process.pid} `),
  });
  expect(await portFinding(instance, true)).toMatchObject({ level: "ok" });
  await new Promise((resolve) => server.close(resolve));
  expect(await portFinding(instance, false)).toMatchObject({ level: "ok", found: `${port} can be opened` });
});

test("a certificate that has expired or is not valid yet is an error, and one that expires soon is a warning", () => {
  const [key, cert] = [join(dir, "key.pem"), join(dir, "cert.pem")];
  const request = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=bench"];
  execFileSync("openssl", [...request, "-days", "100", "-keyout", key, "-out", cert], { stdio: "ignore" });
  const instance = { webui_https_cert_file: cert, webui_https_key_file: key };
  const levelIn = (days: number) => certificateFindings(instance, Date.now() + days * MS_PER_DAY).map(({ level }) => level);
  expect(levelIn(0)).toEqual(["ok"]);
  expect(levelIn(90)).toEqual(["warning"]);
  expect(certificateFindings(instance, Date.now() + 101 * MS_PER_DAY)).toMatchObject([
    { level: "error", found: expect.stringContaining("expired") },
  ]);
  expect(levelIn(-1)).toEqual(["error"]);
  chmodSync(key, 0o644);
  expect(levelIn(0)).toEqual(["ok", "warning"]);
  expect(certificateFindings({ ...instance, webui_https_key_file: cert })).toMatchObject([{ level: "error" }]);
  expect(certificateFindings({ webui_https_cert_file: null, webui_https_key_file: null })).toEqual([]);
});

test("a host of another version, or without its daemon, is a warning; a refused daemon is an error", () => {
  const host = { name: "rt1", state: "ready", version: "1.2.0", problem: null } as const;
  expect(hostFinding(host, "1.2.0").level).toBe("ok");
  expect(hostFinding(host, "1.3.0")).toMatchObject({ level: "warning", found: "its daemon has version 1.2.0, this program 1.3.0" });
  expect(hostFinding({ ...host, state: "lost" }, "1.2.0").level).toBe("warning");
  expect(hostFinding({ ...host, state: "incompatible", problem: "too old" }, "1.2.0")).toMatchObject({ level: "error", found: "too old" });
});
