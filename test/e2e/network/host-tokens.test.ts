import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Instance } from "../support/instance.ts";
import { eventually } from "../support/wait.ts";

test("a daemon with another host's token is refused: the log and `mgr hosts` say whose it is, until it has its own", async () => {
  await using instance = new Instance({
    hosts: { h1: { token_file: "h1.token" }, h2: { token_file: "h2.token" } },
    processes: { far: { command: "sleep 1000", node: "h2" } },
  });
  const [first, second, copied] = ["h1", "h2", "copied"].map((name) => join(instance.dir, `${name}.token`)) as [string, string, string];
  const write = (path: string, letter: string) => writeFileSync(path, letter.repeat(30), { mode: 0o600 });
  write(first, "a");
  write(second, "b");
  write(copied, "a");
  await instance.start("up", "--no-output", "-c", instance.config).up();
  const client = await instance.connect();
  const from = client.here;
  const bus = instance.url.replace(/^http/, "ws");
  instance.start("daemon", "--host", "h2", "--bus", bus, "--token-file", copied, "--state-dir", join(instance.dir, "state-h2"));
  await client.until("h2 is refused", ({ type, host }) => type === "host_upsert" && isOf(host, "h2", /this token belongs to h1/), from);
  const { stdout } = await instance.mgr("hosts");
  expect(stdout).toMatch(/^h2 .*absent/m);
  expect(stdout).toMatch(/h2: refused a daemon called 'h2' at 127\.0\.0\.1:\d+: this token belongs to h1/);
  const log = (await instance.mgr("log", "--level", "warning")).stdout;
  expect(log.match(/refused a daemon called 'h2' at 127\.0\.0\.1:\d+: this token belongs to h1/g)).toHaveLength(1);
  expect(await eventually("the daemon knows why", () => /this token belongs to h1/.exec(daemonLog(instance)))).toBeTruthy();

  write(second, "c");
  const preview = await instance.mgr("plan");
  expect(preview.stdout).toMatch(/^~ host h2: token$/m);
  const reload = await instance.mgr("reload");
  expect(reload.stdout).toMatch(/^~ host h2: token$/m);
  expect((await instance.mgr("reload")).stdout).not.toContain("host h2");
  write(copied, "c");
  await client.until("h2 is ready", ({ type, host }) => type === "host_upsert" && isOf(host, "h2", null), from);
  expect((await instance.mgr("hosts")).stdout).not.toContain("refused");
});

const daemonLog = ({ dir }: Instance) => readFileSync(join(dir, "state-h2", "daemon.log"), "utf8");

/** Ready, or with this problem. */
function isOf(host: unknown, wanted: string, problem: RegExp | null): boolean {
  const entry = host as { name: string; daemon_ready: boolean; problem: string | null };
  if (entry.name !== wanted) return false;
  return problem === null ? entry.daemon_ready && entry.problem === null : problem.test(entry.problem ?? "");
}
