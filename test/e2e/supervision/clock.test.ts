import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Process } from "../../../src/protocol/resources/resources.ts";
import { Instance } from "../support/instance.ts";
import { sh } from "../support/shell.ts";
import { SHIFTED_CLOCK } from "../support/shifted-clock.ts";
import { eventually } from "../support/wait.ts";

const LASTING = { command: ["sleep", "100000"] };
const HOUR_S = 3_600;
const TEN_YEARS_S = 10 * 365 * 24 * HOUR_S;

test.each([
  ["an hour ahead", HOUR_S],
  ["an hour back", -HOUR_S],
  ["ten years ahead", TEN_YEARS_S],
  ["ten years back", -TEN_YEARS_S],
])("a clock that is set %s restarts nothing, times nothing out and loses no host", async (_how, seconds) => {
  await using instance = new Instance({
    processes: {
      steady: {
        ...LASTING,
        autostart: true,
        restart: { policy: "always", delay: "1s" },
        alive: { exec: "true", interval: "300ms", failures: 2 },
      },
      // In backoff while the clock is set: its delay is an hour, however late it becomes.
      failing: { command: "false", autostart: true, restart: { policy: "always", delay: "1h", max_delay: "1h" } },
      // Not ready yet while it is set, and never: its time is an hour, too.
      unready: { ...LASTING, autostart: true, ready: { regex: "never" }, ready_timeout: "1h" },
      // Ends the test: sessions, heartbeats and probes have passed many times by then.
      later: { command: sh("while :; do sleep 1; done"), ready: { time: "7s" } },
    },
  });
  const clock = join(instance.dir, "clock");
  writeFileSync(clock, "+0");
  Object.assign(instance.extra, { ...SHIFTED_CLOCK, FAKETIME_TIMESTAMP_FILE: clock, FAKETIME_NO_CACHE: "1" });
  await instance.start("up", "-c", instance.config).up();
  const client = await instance.connect();
  const processes = async () => {
    const { processes: all } = (await client.snapshot()) as unknown as { processes: Process[] };
    return Object.fromEntries(all.map((each) => [each.name, each]));
  };
  await eventually("everything is where it shall be", async () => {
    const { steady, failing, unready } = await processes();
    return steady?.state === "started" && failing?.state === "backoff" && unready?.state === "started";
  });
  const before = await processes();
  writeFileSync(clock, `${seconds < 0 ? "" : "+"}${seconds}`);
  client.send({ type: "start_process", name: "later" });
  const after = await eventually("the process that was started then is ready", async () => {
    const now = await processes();
    return now.later?.state === "ready" ? now : null;
  });
  // The daemon has seen the other time.
  const shift = Date.parse(`${after.later?.start_time}Z`) - Date.now();
  expect(shift / (seconds * 1_000)).toBeCloseTo(1, 0);
  for (const name of ["steady", "failing", "unready"]) {
    const { state, pid, restarts, host_ready } = after[name] ?? ({} as Partial<Process>);
    expect({ name, state, pid, restarts, host_ready }).toEqual({
      name,
      state: before[name]?.state,
      pid: before[name]?.pid,
      restarts: before[name]?.restarts,
      host_ready: true,
    });
  }
  const log = await (await instance.fetch("/mgr/log?raw")).text();
  expect(log).not.toMatch(/does not answer|died|timed? ?out/);
});
