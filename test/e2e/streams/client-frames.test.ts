// biome-ignore-all lint/suspicious/noThenProperty: it is a key of the configuration.
import { expect, test } from "vitest";
import { CLIENT_FRAMES } from "../../contract/client-frames.ts";
import { LIVE_FRAMES } from "../../features/live-frames.ts";
import { BusProgram } from "../support/bus-program.ts";
import type { Client } from "../support/client.ts";
import { Instance } from "../support/instance.ts";
import { type Ask, askLive } from "../support/live-frames.ts";
import { ECHO } from "../support/shell.ts";
import { eventually } from "../support/wait.ts";

// Each frame of the tables with valid fields, sent to a live manager with real processes, topics, services and files. What the answers
// say is a matter of other tests.

const PROCESS = "tools/echo";
const TOPIC = "arm/state";
/** For the frames of alerts. */
const ALERT = { silent_for: "1s", output_matches: "alarm" };
/** For the frames of limits. */
const LIMITS = [{ run_time: "1s", then: "notify" }];

test("every client frame with valid fields gets the answer of its row, and none is refused", async () => {
  await using instance = await Instance.up({
    flight: {},
    modes: { safe: { start: [PROCESS] }, other: { start: [PROCESS] } },
    notifications: { ways: { page: { browser: {} } }, rules: [{ ways: ["page"], group_wait: "0s" }] },
    processes: {
      replicated: { command: ECHO, replicas: 1 },
      [PROCESS]: { command: ECHO, autostart: true, alternate_commands: { loud: "sleep 7" }, alert: ALERT, limits_act: LIMITS },
    },
  });
  const client = await instance.connect();
  await eventually("it runs", async () => (await client.process(PROCESS)).state === "started");
  const program = await BusProgram.start(instance.stateDir);
  try {
    const asked = new Set<string>();
    const ask: Ask = (frame) => {
      asked.add(frame.type);
      return askLive(client, frame);
    };
    await readings(ask);
    await commands(ask, client);
    for (const live of LIVE_FRAMES) await live({ ask, client, program, process: PROCESS, topic: TOPIC });
    await files(ask);
    await starts(ask, client);
    expect([...asked].sort()).toEqual(Object.keys(CLIENT_FRAMES).sort());
  } finally {
    await program.end();
  }
});

async function readings(ask: Ask): Promise<void> {
  await ask({ type: "get_snapshot" });
  await ask({ type: "request_logs", level: "info", limit: 3, before: Number.MAX_SAFE_INTEGER });
  await ask({ type: "set_log_min_level", level: "debug" });
}

/** Of one process; it runs on. */
async function commands(ask: Ask, client: Client): Promise<void> {
  const name = PROCESS;
  await ask({ type: "subscribe_process_output", patterns: ["*"] });
  await ask({ type: "send_winch", name, rows: 30, cols: 90 });
  await ask({ type: "follow_terminal_size", name, follow: true });
  await ask({ type: "send_stdin", name, text: "x\n", reply: false });
  await client.untilOutput(name, "you typed x");
  await ask({ type: "get_process_output", name, lines: 5, seconds: 60, times: true });
  await ask({ type: "unsubscribe_process_output", patterns: ["*"] });
  await ask({ type: "set_process_current_alternate_command", name, which: "loud" });
  await ask({ type: "set_process_alternate_command_override", name, which: "loud", override: "sleep 8" });
  await ask({ type: "set_process_command_override", name, override: "sleep 9" });
  for (const type of ["set_process_no_skip_display", "set_process_low_delay_output"]) await ask({ type, name, enabled: true });
  await ask({ type: "set_process_attribute", name, attribute: "svc_debug", value: true });
  await ask({ type: "dump_startup_commands", name });
  await ask({ type: "request_process_detail", name });
  await ask({ type: "request_process_loads", name });
  await ask({ type: "send_signal", name, signal: "SIGWINCH" });
}

/** The configuration is changed and takes effect. */
async function files(ask: Ask): Promise<void> {
  const { path, content, hash } = await ask({ type: "request_config_file" });
  await ask({ type: "request_config_file", path });
  await ask({ type: "check_config_file", path, content });
  await ask({ type: "save_config_file", path, content: `${content}\n`, base_hash: hash });
  await ask({ type: "request_config_history", path });
  await ask({ type: "request_config_file", path, hash });
  await ask({ type: "request_plan" });
  await ask({ type: "reload_config", dry_run: true });
  await ask({ type: "reload_config" });
}

/** Starts and stops of a process and of its group. */
async function starts(ask: Ask, client: Client): Promise<void> {
  await ask({ type: "set_process_command_override", name: PROCESS, override: null });
  for (const [kind, name] of [
    ["process", PROCESS],
    ["group", "tools"],
  ] as const) {
    const from = client.here;
    await ask({ type: `restart_${kind}`, name });
    await client.untilState(PROCESS, "started", from);
    await ask({ type: `stop_${kind}`, name });
    await client.untilState(PROCESS, "stopped", from);
    const start = client.here;
    await ask({ type: `start_${kind}`, name });
    await client.untilState(PROCESS, "started", start);
  }
}
