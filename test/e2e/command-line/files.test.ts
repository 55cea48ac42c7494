import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { Instance } from "../support/instance.ts";
import { ECHO } from "../support/shell.ts";

test("mgr init writes a configuration that starts and a user that logs in, and overwrites nothing", async () => {
  await using instance = new Instance({ processes: {} });
  rmSync(instance.config);
  rmSync(instance.authFile);
  const { stdout } = await instance.mgr("init", "--port", "0", "--name", "bench");
  const [, user = "", password = ""] = /as '(.+)' with the password (\S+)/.exec(stdout) ?? [];
  expect(statSync(instance.authFile).mode & 0o777).toBe(0o600);
  expect(readFileSync(instance.authFile, "utf8")).not.toContain(password);

  const [, schema = ""] = /^# yaml-language-server: \$schema=(\S+)\n/.exec(readFileSync(instance.config, "utf8")) ?? [];
  expect(JSON.parse(readFileSync(new URL(schema), "utf8"))).toMatchObject({ properties: { processes: {} } });

  writeFileSync(instance.config, `${readFileSync(instance.config, "utf8")}${markedDefaults(instance)}`);
  const foreground = instance.start("up", "-c", instance.config);
  await foreground.up();
  const [url = ""] = /http:\/\/\S+/.exec(foreground.stdout) ?? [];
  const authorization = `Basic ${btoa(`${user}:${password}`)}`;
  expect((await fetch(url, { headers: { authorization } })).status).toBe(200);
  expect((await fetch(url, { headers: { authorization: `Basic ${btoa(`${user}:x`)}` } })).status).toBe(401);
  const { stdout: started } = await instance.mgr("start", "demo");
  expect(started).toBe("demo/server: ready\ndemo/viewer: started\n");

  const before = readFileSync(instance.config, "utf8");
  expect(await instance.run("init", "-c", instance.config)).toMatchObject({ code: 1, stderr: expect.stringContaining("already exists") });
  expect(readFileSync(instance.config, "utf8")).toBe(before);
  await instance.mgr("down");
});

test("mgr save-all writes the archive whole, under its own name, another one, or to stdout", async () => {
  await using instance = await Instance.up({ processes: { echo: { command: ECHO, autostart: true } } });
  const { stdout } = await instance.mgr("save-all");
  const [, name = ""] = /^(e2e-\d{8}-\d{6}\.tar\.bz2): \d+ bytes\n$/.exec(stdout) ?? [];
  const contents = (file: string) => execFileSync("tar", ["tjf", file], { cwd: instance.dir, encoding: "utf8" });
  expect(contents(name)).toContain("/snapshot.json");
  await instance.mgr("save-all", "mine.tar.bz2");
  expect(contents("mine.tar.bz2")).toContain("/snapshot.json");
  expect(readdirSync(instance.dir).filter((file) => file.endsWith(".part"))).toEqual([]);
  const missing = await instance.run("save-all", "-c", instance.config, "no/such/folder.tar.bz2");
  expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining("cannot write no/such/folder.tar.bz2") });
});

/** What Instance.write() adds to every configuration, so that lost processes can be told from foreign ones. */
function markedDefaults(instance: Instance): string {
  return `\ndefaults: {environment: {MGR_E2E_MARK: ${instance.mark}}}\n`;
}
