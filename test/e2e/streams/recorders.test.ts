import { expect, test } from "vitest";
import { featureFrames } from "../../../src/features/wire.ts";
import type { Client, Frame } from "../support/client.ts";
import { type Configuration, Instance } from "../support/instance.ts";
import { ECHO, EXIT_AS_TYPED, READY_WHEN_TYPED, sh } from "../support/shell.ts";
import { eventually } from "../support/wait.ts";

const PROCESS = "cell/arm";
const GROUP = "cell";
const isMine = (name: string) => name === PROCESS;
const isOurs = (name: string) => name.startsWith(`${GROUP}/`);

/** Names that a careless comparison confuses; something that talks by itself among them. */
const processes: Configuration["processes"] = {
  "cell/arm": { command: ECHO },
  "cell/arm2": { command: READY_WHEN_TYPED, ready: { regex: "listening" } },
  "cell/sub/gripper": { command: EXIT_AS_TYPED, restart: { policy: "on-failure", delay: "10ms", max_restarts: 2 } },
  "cell2/arm": { command: ECHO },
  cellar: { command: sh("i=0; while :; do i=$((i+1)); echo bottle $i; sleep 0.02; done"), autostart: true },
  arm: { command: ECHO, depends_on: ["cell/arm2"] },
};

/** Of which process a frame speaks, null if of none. */
function nameOf(frame: Frame): string | null {
  if (frame.type === "process_upsert") return (frame.process as { name: string }).name;
  return frame.type === "process_remove" || frame.type === "process_output" ? String(frame.name) : null;
}

/** Frames of features about a process come to the views that it is in. */
const isOfFeature = (type: string) => Object.hasOwn(featureFrames, type);

/** Runs of output of one process as one text: where it is cut differs only by when a view began to listen. */
function joined(frames: readonly Frame[]): unknown[] {
  const result: { type: string; name?: unknown; output?: string }[] = [];
  for (const frame of frames) {
    const last = result.at(-1);
    if (frame.type !== "process_output") result.push(frame);
    else if (last?.type === "process_output" && last.name === frame.name) last.output += String(frame.output);
    else result.push({ type: frame.type, name: frame.name, output: String(frame.output) });
  }
  return result;
}

/** What came since the last call: all of it, up to an answer that was asked for now. */
async function sofar(client: Client, from: number): Promise<Frame[]> {
  const answer = await client.ask({ type: "request_logs", limit: 1 });
  return client.frames.slice(from, client.frames.indexOf(answer));
}

test("recorders of the three focused views hold exactly their frames and not one more, through every kind of event, reload, removal and re-adding", async () => {
  await using instance = await Instance.up({ processes });
  const full = await instance.connect();
  const [one, group, log] = [
    await instance.connect(`?single_process=${PROCESS}`),
    await instance.connect(`?single_group=${GROUP}`),
    await instance.connect("?log_only=1"),
  ];
  await full.command({ type: "subscribe_process_output", patterns: ["*"] });
  // What its start brings has come to all of them.
  await full.untilOutput("cellar", "bottle");
  for (const client of [one, group]) await client.snapshot();
  for (const client of [log, full]) await client.ask({ type: "request_logs", limit: 1 });
  // Focused views may not ask for logs: what they got is everything before the answer to a snapshot.
  const starts = [one, group, log, full].map((client) => client.here);

  const typed = async (name: string, text: string, heard: string) => {
    const start = full.here;
    await full.command({ type: "send_stdin", name, text });
    await full.untilOutput(name, heard, start);
  };
  const becomes = (name: string, state: string) =>
    eventually(`'${name}' is ${state}`, async () => (await full.process(name)).state === state);
  const run = async (command: string, name: string, until: string) => {
    await full.command({ type: command, name });
    await becomes(name, until);
  };
  const everything = async () => {
    await run("start_process", "cell/arm", "started");
    await typed("cell/arm", "hello ünï €\n", "you typed hello ünï €");
    await full.command({ type: "start_process", name: "arm" });
    await becomes("cell/arm2", "started");
    await typed("cell/arm2", "go\n", "listening");
    await becomes("arm", "started");
    await run("start_process", "cell2/arm", "started");
    await run("start_process", "cell/sub/gripper", "started");
    const start = full.here;
    await full.command({ type: "send_stdin", name: "cell/sub/gripper", text: "7\n" });
    await full.untilState("cell/sub/gripper", "backoff", start);
    await full.untilState("cell/sub/gripper", "started", start);
    const again = full.here;
    await full.command({ type: "restart_process", name: "cell/arm" });
    await full.untilState("cell/arm", "started", again);
    await full.command({ type: "send_winch", name: "cell/arm", rows: 40, cols: 120 });
    await full.command({ type: "send_signal", name: "cell2/arm", signal: "SIGWINCH" });
    await full.command({ type: "set_process_low_delay_output", name: "cell/arm", enabled: true });
    await full.ask({ type: "set_process_attribute", name: "cell2/arm", attribute: "svc_debug", value: true });
    await full.command({ type: "set_process_command_override", name: "cell/arm2", override: "true" });
    await full.command({ type: "set_process_command_override", name: "cell/arm2", override: null });
    await full.ask({ type: "get_process_output", name: "cell/arm" });
    await full.ask({ type: "start_process", name: "no such" });
  };
  const reload = async (next: Configuration["processes"]) => {
    instance.write({ processes: next });
    const result = await full.ask({ type: "reload_config" });
    expect(result).toMatchObject({ type: "config_reload_result", ok: true });
  };

  await everything();
  // Removal while it runs, of the process, then of its whole group, and back again.
  const { "cell/arm": arm, ...withoutArm } = processes;
  let start = full.here;
  await reload(withoutArm);
  await full.until("it is gone", (frame) => frame.type === "process_remove" && frame.name === "cell/arm", start);
  start = full.here;
  await reload(Object.fromEntries(Object.entries(withoutArm).filter(([name]) => !isOurs(name) && name !== "arm")));
  await full.until("the last of the group is gone", (frame) => frame.type === "process_remove" && isOurs(String(frame.name)), start);
  await full.until(
    "the tree has no group",
    ({ type, process_tree }) => type === "process_tree" && !JSON.stringify(process_tree).includes('"cell"'),
    start,
  );
  await reload({ ...processes, "cell/new": { command: ECHO }, "cell/arm": { ...(arm as object), cwd: "/" } });
  await everything();
  await run("start_process", "cell/new", "started");
  await typed("cell/new", "new\n", "you typed new");
  await full.command({ type: "stop_group", name: "cell" });
  for (const name of ["cell/arm", "cell/arm2", "cell/new", "cell/sub/gripper"]) await becomes(name, "stopped");

  const seen = (await sofar(full, starts[3] ?? 0)).filter(({ type, request_id }) => type !== "process_tree" && request_id === undefined);
  for (const [client, from, isIn] of [
    [one, starts[0], isMine],
    [group, starts[1], isOurs],
  ] as const) {
    const snapshot = await client.snapshot();
    const all = client.frames.slice(from, client.frames.indexOf(snapshot));
    const frames = all.filter(({ type }) => !isOfFeature(type));
    const others = Object.keys(processes).filter((name) => !isIn(name));
    for (const frame of all.filter(({ type }) => isOfFeature(type)))
      expect(
        others.filter((name) => JSON.stringify(frame).includes(`"${name}"`)),
        JSON.stringify(frame),
      ).toEqual([]);
    expect(new Set(frames.map(({ type }) => type))).toEqual(
      new Set(["process_upsert", "process_remove", "process_output", "process_tree"]),
    );
    expect(frames.filter((frame) => frame.type !== "process_tree" && !isIn(nameOf(frame) ?? ""))).toEqual([]);
    for (const name of [...new Set(seen.flatMap((frame) => nameOf(frame) ?? []))].filter(isIn)) {
      const of = (all: readonly Frame[]) => joined(all.filter((frame) => nameOf(frame) === name));
      expect(of(frames), `what happened to '${name}'`).toEqual(of(seen));
    }
    const states = (all: readonly Frame[]) => all.filter(({ type }) => type === "process_upsert" || type === "process_remove");
    expect(states(frames), "in the order of its happening").toEqual(states(seen).filter((frame) => isIn(nameOf(frame) ?? "")));
  }
  const logged = await sofar(log, starts[2] ?? 0);
  expect(new Set(logged.map(({ type }) => type))).toEqual(new Set(["log_batch"]));
  const entries = (frames: readonly Frame[]) =>
    frames.filter(({ type }) => type === "log_batch").flatMap((frame) => frame.entries as { id: number }[]);
  expect(entries(logged)).toEqual(entries(seen));
});
