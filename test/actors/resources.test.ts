import { describe, expect, test } from "vitest";
import { toProcess } from "../../src/actors/resources.ts";
import { process as processSchema } from "../../src/protocol/process/process.ts";
import { WALL } from "./support/clock.ts";
import type { ProcessRig } from "./support/process.ts";
import { definition, startedProcess, stoppedProcess } from "./support/process.ts";

const project = (rig: ProcessRig) => {
  const process = toProcess(rig.context, {
    host: "bench",
    hostReady: true,
    startTools: [],
    needsRestart: false,
    featureFields: () => ({}),
  });
  // The wire's own schema, with every field and no other.
  expect(processSchema.strict().parse(process)).toEqual(process);
  return process;
};

describe("the resource of a process", () => {
  test("has every field of the protocol", () => {
    const alternate = { text: "./world --debug", program: { kind: "shell", line: "./world --debug" } } as const;
    const rig = stoppedProcess({
      definition: definition({
        alternate_commands: new Map([["debug", alternate]]),
        depends_on: [{ name: "db", condition: "ready", on_stop: "stop" }],
        autostart: true,
        essential: true,
      }),
    });
    expect(project(rig)).toEqual({
      name: "sim/world",
      display_name: "world",
      state: "stopped",
      requested_state: "stop",
      requested_by: null,
      requested_time: null,
      stopped_with: null,
      pid: null,
      host: "bench",
      node: "localhost",
      command: "./world",
      command_override: null,
      alternate_commands: [
        ["default", "./world"],
        ["debug", "./world --debug"],
      ],
      alternate_command_overrides: {},
      current_alternate_command: "default",
      current_command: "./world",
      running_command: null,
      needs_restart: false,
      start_tool: null,
      svc_debug: false,
      x_display_kind: null,
      x_display: null,
      x_display_username: null,
      x_display_peer: null,
      x_display_reason: null,
      has_ready_state: false,
      start_time: null,
      stop_time: null,
      exit: null,
      restarts: 0,
      restarting: false,
      next_start_time: null,
      waiting_for: [],
      depends_on: ["db"],
      stops_with: ["db"],
      autostart: true,
      confirm: true,
      low_delay_output: false,
      no_skip_display: false,
      host_ready: true,
    });
  });

  test("shows pid and start time while it runs, end and exit afterwards", () => {
    const rig = startedProcess();
    expect(project(rig)).toMatchObject({
      state: "started",
      pid: 4_711,
      start_time: "2026-11-21T08:00:00.000",
      stop_time: null,
      exit: null,
    });
    rig.clock.advance(1_500);
    rig.died(3);
    expect(project(rig)).toMatchObject({
      state: "error",
      pid: null,
      stop_time: "2026-11-21T08:00:01.500",
      exit: { code: 3, signal: null, reason: null, time: "2026-11-21T08:00:01.500" },
    });
  });

  test("shows next_start_time in backoff", () => {
    const rig = startedProcess({ definition: definition({ restart: { policy: "always" } }) }).died(0);
    expect(project(rig)).toMatchObject({ state: "backoff", next_start_time: "2026-11-21T08:00:01.000", restarts: 0 });
    rig.clock.advance(1_000);
    expect(project(rig)).toMatchObject({ state: "starting", next_start_time: null, restarts: 1, pid: null });
  });

  test("shows its missing dependencies in waiting", () => {
    const rig = stoppedProcess();
    rig.dependenciesHold = false;
    rig.start();
    rig.watching?.({ type: "dependencies", missing: ["db"], impossible: null });
    expect(project(rig)).toMatchObject({ state: "waiting", waiting_for: ["db"] });
  });

  test("shows no pid and an end once its daemon died", () => {
    const rig = startedProcess();
    rig.clock.advance(2_000);
    rig.send({ type: "host.died" });
    expect(project(rig)).toMatchObject({ state: "error", pid: null, stop_time: "2026-11-21T08:00:02.000" });
    expect(WALL).toBe(Date.parse("2026-11-21T08:00:00Z"));
  });

  test("keeps the pid while it is being stopped", () => {
    expect(project(startedProcess().stop())).toMatchObject({ state: "stopping", pid: 4_711, requested_state: "stop" });
  });

  test("keeps has_ready_state of the living run when a reload changes it", () => {
    const ready = { kind: "time", ms: 5 } as const;
    const rig = startedProcess();
    rig.send({ type: "definition", definition: definition({ ready }) });
    expect(project(rig).has_ready_state).toBe(false);
    rig.died(0);
    expect(project(rig).has_ready_state).toBe(true);
  });
});
