import { expect, test } from "vitest";
import { CLIENT_FRAMES } from "../../contract/client-frames.ts";
import { BusProgram } from "../support/bus-program.ts";
import type { Client, Frame } from "../support/client.ts";
import { Instance } from "../support/instance.ts";
import { ECHO } from "../support/shell.ts";
import { eventually } from "../support/wait.ts";

// Each frame of the tables with valid fields, sent to a live manager with real processes, topics, services and files. What the answers
// say is a matter of other tests.

const PROCESS = "tools/echo";
const TOPIC = "arm/state";

test("every client frame with valid fields gets the answer of its row, and none is refused", async () => {
  await using instance = await Instance.up({
    processes: { [PROCESS]: { command: ECHO, autostart: true, alternate_commands: { loud: "sleep 7" } } },
  });
  const client = await instance.connect();
  await eventually("it runs", async () => (await client.process(PROCESS)).state === "started");
  const program = await BusProgram.start(instance.stateDir);
  try {
    const asked = new Set<string>();
    /** Sends a frame, and insists on the answer of its row. */
    const ask = async (frame: Frame): Promise<Frame> => {
      asked.add(frame.type);
      const answer = await client.ask(frame);
      expect(answer.type, `answer to ${JSON.stringify(frame)}: ${JSON.stringify(answer)}`).toBe(CLIENT_FRAMES[frame.type]?.answer ?? "ack");
      expect(answer.ok ?? true, JSON.stringify(answer)).toBe(true);
      return answer;
    };
    await readings(ask);
    await commands(ask, client);
    await tasks(ask, client);
    await data(ask, client, program);
    await files(ask);
    await starts(ask, client);
    expect([...asked].sort()).toEqual(Object.keys(CLIENT_FRAMES).sort());
  } finally {
    await program.end();
  }
});

type Ask = (frame: Frame) => Promise<Frame>;

async function readings(ask: Ask): Promise<void> {
  for (const type of ["get_snapshot", "request_clients", "request_recordings", "request_topics", "request_services"]) await ask({ type });
  await ask({ type: "request_logs", level: "info", limit: 3, before: Number.MAX_SAFE_INTEGER });
  await ask({ type: "set_log_min_level", level: "debug" });
  await ask({ type: "request_network_stats", sample_seconds: 1, sample_mode: "previous" });
  await ask({ type: "request_network_topology" });
  await ask({ type: "request_tcp_connections", host: "localhost" });
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

async function tasks(ask: Ask, client: Client): Promise<void> {
  const { pid } = await client.process(PROCESS);
  const list = { type: "request_process_list", host: "localhost", show_threads: true, show_env: true, filter: `process:==:${PROCESS}` };
  const { columns, rows } = await ask(list);
  const column = (columns as { name: string }[]).findIndex((each) => each.name === "affinity");
  const [row] = rows as { cells: { raw: unknown }[] }[];
  const affinity = String(row?.cells[column]?.raw);
  await ask({ type: "set_process_list_task", host: "localhost", pid, tid: pid, policy: 0, prio: 0, affinity, nice: 1 });
}

/** Topics, services, parameters, recordings and loggers of a program on the bus. */
async function data(ask: Ask, client: Client, program: BusProgram): Promise<void> {
  await eventually("the topic is there", async () => ((await ask({ type: "request_topics" })).topics as unknown[]).length > 0);
  await eventually("its services are there", async () => ((await ask({ type: "request_services" })).services as unknown[]).length === 4);
  await ask({ type: "subscribe_topic", name: TOPIC, max_rate: 20, fields: ["position"] });
  program.publish(1);
  await ask({ type: "unsubscribe_topic", name: TOPIC });
  const definition = JSON.stringify({ type: "number" });
  await ask({ type: "publish_topic", name: "operator/speed", value: 0.5, definition, definition_name: "Speed" });
  await ask({ type: "request_topics_stat", sample_seconds: 1 });
  await ask({ type: "request_topic_detail", name: TOPIC });
  const { tasks } = await ask({ type: "request_topic_scheduling", name: TOPIC });
  const [{ host, pid, tid } = { host: "", pid: 0, tid: 0 }] = tasks as { host: string; pid: number; tid: number }[];
  await ask({ type: "apply_topic_scheduling", name: TOPIC, tasks: [{ host, pid, tid, policy: 0 }] });
  const call = { type: "call_service", name: "arm/move_to", endpoint: "call", request: { position: 1 } };
  // The link between the brokers has to know of the service first.
  await eventually("the service answers", async () => (await client.ask(call)).ok === true);
  await ask(call);
  const [parameter] = await eventually("the parameters are there", async () => {
    const { parameters } = await ask({ type: "request_parameters", pattern: "gain" });
    return (parameters as { id: string }[]).length > 0 ? (parameters as { id: string }[]) : null;
  });
  const provider_id = Number(parameter?.id.split(":")[0]);
  const named = { service: "arm/controller/parameters", provider_id, parameter: "gain" };
  await ask({ type: "set_parameter_override", ...named, enabled: true, value: "2" });
  await ask({ type: "open_parameter_scope", ...named });

  const recording = { name: "trial", topics: ["arm/*"], terminals: ["tools/*"], include: ["log"] };
  await ask({ type: "start_recording", ...recording, max_size: 65_536, max_duration: 60_000, max_files: 2, min_free_space: 0 });
  await ask({ type: "stop_recording", name: "trial" });
  await ask({ type: "delete_recording", name: "trial" });
  await ask({ type: "configure_logger", name: "trial", only_ts: false, topics: [{ name: TOPIC, log_size: 3, divisor: 1 }] });
  for (const type of ["start_logger", "stop_logger", "delete_logger"]) await ask({ type, name: "trial" });
  await ask({ type: "request_loggers" });
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
