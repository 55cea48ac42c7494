// biome-ignore-all lint/suspicious/noThenProperty: it is a key of the configuration.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Client } from "../support/client.ts";
import { runDocument } from "../support/document-commands.ts";
import { Instance } from "../support/instance.ts";
import { sh } from "../support/shell.ts";
import { eventually } from "../support/wait.ts";

interface Limits {
  readonly name: string;
  readonly reached: { measure: string; value: number; action: string; times: number }[];
  readonly cgroup_problem: string | null;
}

const MIB = 1024 ** 2;
/** Grows by a megabyte each few milliseconds, up to 120 MiB. */
const GROWS = [
  "/usr/bin/python3",
  "-c",
  "import time\nheld = []\nwhile True:\n  if len(held) < 120: held.append(bytearray(b'x') * 2**20)\n  time.sleep(0.01)",
];
const BURNS = sh("while :; do :; done");
/** Waits without a program that looks again and again: on a slow machine its forks alone would be over the limit. */
const BURNS_LATER = sh("mkfifo trigger; read line < trigger; while :; do :; done");

/** A row may also say that the limits of a cgroup cannot be set. */
const limitsOf = async (client: Client): Promise<Limits[]> => (await client.snapshot()).limits as Limits[];
/** The limits that each process has reached: measure, action, and how often. */
const reached = async (client: Client): Promise<string[][]> =>
  (await limitsOf(client)).flatMap(({ name, reached }) =>
    reached.length === 0 ? [] : [[name, ...reached.map(({ measure, action, times }) => `${measure} ${action} ${times}`)]],
  );

test("a process that reaches a limit is restarted within its policy, stopped, or needs attention, also if that was without a manager", async () => {
  await using instance = new Instance({
    processes: {
      grows: {
        command: GROWS,
        autostart: true,
        restart: { policy: "never", delay: "100ms", max_restarts: 1 },
        limits_act: [{ memory: "60MiB", for: "1s", then: "restart" }],
      },
      burns: { command: BURNS, autostart: true, limits_act: [{ cpu: "3%", for: "1s", then: "stop" }] },
      later: { command: BURNS_LATER, autostart: true, limits_act: [{ cpu: "3%", for: "1s", then: "stop" }] },
      "sim/arm": {
        command: "sleep 1000",
        autostart: true,
        limits_act: [{ run_time: "1s", then: "notify" }],
        cgroup: { memory_max: "500MiB" },
      },
    },
  });
  await instance.mgr("up", "--detach");
  const first = await instance.connect();
  await eventually("it is in a crash loop", async () => (await first.process("grows")).state === "error");
  expect((await first.process("grows")).exit?.reason).toMatch(
    /^crash loop: restarted 1 times within 300 s, at last limit reached: memory \S+ MiB, over 60\.0 MiB for \d/,
  );
  await eventually("the other is stopped", async () => (await first.process("burns")).state === "stopped");
  expect((await first.process("burns")).requested_by).toMatch(/^its limit \(CPU \d.*, over 3\.0 % for \d.* s\)$/);
  await eventually("the run time is reached", async () => (await reached(first)).length === 3);
  const all = [
    ["burns", "cpu stop 1"],
    ["grows", "memory restart 2"],
    ["sim/arm", "run_time notify 1"],
  ];
  expect(await reached(first)).toEqual(all);
  for (const {
    name,
    reached: [limit],
    cgroup_problem,
  } of await limitsOf(first)) {
    if (name === "grows") expect(limit?.value).toBeGreaterThan(60 * MIB);
    // Where a manager may write the cgroups of its runs, there is no problem.
    if (name === "sim/arm" && cgroup_problem !== null)
      expect(cgroup_problem).toMatch(/memory_max cannot be set|limits of its cgroup cannot be set/);
  }
  expect((await instance.mgr("ps")).stdout).toMatch(/sim\/arm .*run time \S+ s, over 1\.0 s \(since /);
  expect((await instance.mgr("log", "--level", "warning")).stdout).toMatch(
    /process 'burns' has reached a limit: CPU .*, over 3\.0 % for .* s; it is stopped/,
  );

  instance.kill("manager");
  await eventually("the manager is dead", () => instance.pidOf("manager") === null);
  writeFileSync(join(instance.dir, "trigger"), "now\n");
  await instance.mgr("up", "--detach");
  const second = await instance.connect();
  await eventually("what was reached meanwhile is acted on", async () => (await second.process("later")).state === "stopped");
  await eventually("everything is known again", async () => (await reached(second)).length === 4);
  expect(await reached(second)).toEqual([...all.slice(0, 2), ["later", "cpu stop 1"], ...all.slice(2)]);
  expect((await second.process("burns")).state).toBe("stopped");

  expect((await runDocument(instance, "docs/limits.md")).map(({ line, code }) => [line, code])).toEqual([
    ["mgr limits", 0],
    ["mgr limits --json", 0],
    ["mgr limits --clear sim/arm", 0],
  ]);
  await eventually("it is dismissed", async () => (await reached(second)).every(([name]) => name !== "sim/arm"));
  expect((await instance.mgr("limits", "--clear", "sim")).stdout).toBe("no reached limit to dismiss\n");
  expect((await instance.run("limits", "--clear")).code).toBe(2);
  // A frame, and no look at a snapshot: a second later it has reached its limit again.
  const from = second.here;
  await second.command({ type: "start_process", name: "burns" });
  await second.until("a start ends what led to a stop", ({ type, name }) => type === "limits_remove" && name === "burns", from);
});
