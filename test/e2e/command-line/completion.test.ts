import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { runDocument } from "../support/document-commands.ts";
import { Instance, PROGRAM } from "../support/instance.ts";

test("mgr completion names lists what the manager has, and nothing without one; mgr doctor checks the same instance", async () => {
  await using instance = await Instance.up({ processes: { "sim/world": { command: "sleep 1000" }, lone: { command: "sleep 1000" } } });
  await instance.run("logger", "configure", "arm", "arm/state", "-c", instance.config);
  const names = async (...args: string[]) => (await instance.run("completion", "names", ...args, "-c", instance.config)).stdout;
  // The command prints nothing when a busy machine makes it wait too long.
  const expectNames = (...args: string[]) => expect.poll(() => names(...args));
  await expectNames("process", "group").toBe("lone\tstopped\nsim\tgroup\nsim/world\tstopped\n");
  await expectNames("logger", "recording", "topic", "service", "parameter").toBe("arm\t\n");
  await expectNames("process", "--prefix", "lo").toBe("lone\tstopped\n");
  // The whole program answers what the small one leaves to it.
  await expectNames("process", "--trust-config", "--prefix=lo").toBe("lone\tstopped\n");
  // The port, as a web user.
  instance.extra.MGR_WEBUI_AUTH_FILE = instance.authFile;
  await expectNames("process", "--prefix", "lo", "--url", instance.url).toBe("lone\tstopped\n");

  const findings = async (code: number) => {
    const outcome = await instance.run("doctor", "--json", "-c", instance.config);
    expect(outcome, outcome.stdout).toMatchObject({ code });
    return JSON.parse(outcome.stdout) as { check: string; level: string; found: string }[];
  };
  for (const { line, code, stdout } of await runDocument(instance, "docs/doctor.md")) {
    expect(code, line).toBe(0);
    expect(stdout, line).toContain("configuration");
  }
  expect(await findings(0)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ check: "port", level: "ok" }),
      expect.objectContaining({
        check: expect.stringMatching(/^host /),
        level: "ok",
        found: expect.stringContaining("connected, version "),
      }),
    ]),
  );

  await instance.mgr("down");
  const none = await instance.run("completion", "names", "process", "-c", instance.config);
  expect(none).toMatchObject({ code: 0, stdout: "", stderr: "" });
  writeFileSync(instance.config, "processes: {a: {nonsense: 1}}\n");
  expect(await findings(1)).toContainEqual(expect.objectContaining({ check: "configuration", level: "error" }));
});

test("bash loads the script that the command of docs/completion.md installs", async () => {
  await using instance = new Instance({ processes: {} });
  const [, command = ""] = /```sh\n(.*?)\n```/s.exec(readFileSync(new URL("../../../docs/completion.md", import.meta.url), "utf8")) ?? [];
  expect(command).toBe("mgr completion install");
  const bin = join(instance.dir, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "mgr"), `#!/bin/sh\nexec "${process.execPath}" "${PROGRAM}" "$@"\n`);
  chmodSync(join(bin, "mgr"), 0o755);
  const env = { HOME: instance.dir, PATH: `${bin}${delimiter}${process.env.PATH}`, SHELL: "/bin/bash" };
  const shell = `${command}
    source /usr/share/bash-completion/bash_completion
    __load_completion mgr
    complete -p mgr`;
  const { stdout } = await promisify(execFile)("bash", ["--norc", "-c", shell], { env, cwd: instance.dir });
  expect(stdout).toContain(`wrote ${instance.dir}/.local/share/bash-completion/completions/mgr`);
  expect(stdout).toContain("complete -F _mgr mgr");
});
