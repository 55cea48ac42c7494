import { describe, expect, it } from "vitest";
import { isWithin } from "../../src/base/text/names.ts";
import type { ProcessState } from "../../src/protocol/resources/resources.ts";
import { type Client, type Frame, startRig } from "./rig.ts";

/** Names that a careless comparison confuses. */
const NAMES = ["sim", "sim2/world", "si/m", "sim.world", "g/world", "g/world2", "g/sub/world", "g/sub/arm", "gg/world", "world"];
const PROCESS = "g/world";
const GROUP = "g/sub";
const WIDE_GROUP = "g";
const STEPS = 600;

type Rig = Awaited<ReturnType<typeof startRig>>;

/** The same choices in each run (Park and Miller). */
function chooser(seed: number): <T>(options: readonly T[]) => T {
  let state = seed;
  return <T>(options: readonly T[]) => {
    state = (state * 48_271) % 2_147_483_647;
    return options[state % options.length] as T;
  };
}

/** What happened, in order: each with the frames that somebody who sees everything of it is told. */
class Happenings {
  readonly #frames: { name: string; frame: Frame }[] = [];

  add(name: string, frame: Frame): void {
    this.#frames.push({ name, frame });
  }

  /** The frames of a view's own processes; output of one process that nothing came between is one piece. */
  of(scope: string, types: readonly string[]): Frame[] {
    return this.#frames.filter(({ name, frame }) => isWithin(name, scope) && types.includes(frame.type)).map(({ frame }) => frame);
  }
}

/** Runs of output of one process as one text. */
function joined(frames: readonly Frame[], name: string): Frame[] {
  const result: Frame[] = [];
  for (const frame of frames) {
    if (nameOf(frame) !== name) continue;
    const last = result.at(-1);
    if (frame.type === "process_output" && last?.type === "process_output") last.output = `${last.output}${frame.output}`;
    else result.push({ ...frame });
  }
  // Where pieces are cut is nobody's business.
  return result.map((frame) => (frame.type === "process_output" ? { type: frame.type, name, output: frame.output } : frame));
}

function nameOf(frame: Frame): string {
  return frame.type === "process_upsert" ? (frame.process as { name: string }).name : String(frame.name);
}

async function play(rig: Rig, full: Client): Promise<Happenings> {
  const happened = new Happenings();
  const choose = chooser(20_261_121);
  const offsets = new Map<string, number>();
  const alive = new Set(NAMES);
  const upsert = (name: string) => happened.add(name, { type: "process_upsert", process: { ...rig.control.process(name) } });

  for (let step = 0; step < STEPS; step++) {
    const name = choose(NAMES);
    const change = (state: ProcessState) => {
      rig.control.update(name, { state, pid: state === "stopped" ? null : step });
      upsert(name);
    };
    const what = choose([
      "output",
      "output",
      "output",
      "start",
      "stop",
      "restart",
      "winch",
      "stdin",
      "log",
      "host",
      "remove or add",
    ] as const);
    if (what === "remove or add") {
      if (alive.delete(name)) {
        rig.control.remove(name);
        happened.add(name, { type: "process_remove", name });
      } else {
        alive.add(name);
        rig.control.add(name);
        upsert(name);
      }
    } else if (what === "host") {
      rig.control.events.publish({
        type: "host_upsert",
        host: { ...HOST_ENTRY, aliases: [], node_aliases: [], all_names: ["testhost"], daemon_ready: step % 2 === 0 },
      });
    } else if (what === "log") {
      const entry = rig.control.log.append({
        level: choose(["debug", "info", "warning", "error"] as const),
        source: "manager",
        msg: `step ${step}`,
      });
      if (entry.level !== "debug") happened.add("\0log", { type: "log_batch", entries: [entry] });
    } else if (!alive.has(name)) continue;
    else if (what === "output") {
      const text = `${name} says ${step}\r\n`;
      const offset = offsets.get(name) ?? 0;
      rig.output(name, offset, text);
      offsets.set(name, offset + text.length);
      happened.add(name, { type: "process_output", name, output: text });
    } else if (what === "start") change("started");
    else if (what === "stop") change("stopped");
    else if (what === "restart") for (const state of ["stopping", "stopped", "starting", "started"] as const) change(state);
    else if (what === "winch") full.send({ type: "send_winch", name, rows: 24, cols: 80 });
    else full.send({ type: "send_stdin", name, text: "x" });
    // Some in the same turn, most in turns of their own, some after a rest that sends what was joined.
    if (step % 4 !== 0) await new Promise((resolve) => setImmediate(resolve));
    if (step % 50 === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return happened;
}

const HOST_ENTRY = {
  name: "testhost",
  daemon_ready: true,
  state: "ready",
  problem: null,
  lost_time: null,
  version: null,
  clock_offset: 0,
} as const;

/** What a client has got when it is answered: everything up to then. */
async function everything(client: Client): Promise<Frame[]> {
  const snapshot = await client.ask({ type: "get_snapshot" });
  return client.frames.filter((frame) => frame !== snapshot);
}

describe("while every kind of event happens, a recorder", () => {
  it("on each focused view holds exactly the view's frames and not one more", async () => {
    await using rig = await startRig(NAMES);
    const [process, group, wide, log, full] = await Promise.all([
      rig.connect(`?single_process=${PROCESS}`),
      rig.connect(`?single_group=${GROUP}`),
      rig.connect(`?single_group=${WIDE_GROUP}`),
      rig.connect("?log_only=1"),
      rig.connect(),
    ]);
    const happened = await play(rig, full);

    for (const [client, scope] of [
      [process, PROCESS],
      [group, GROUP],
      [wide, WIDE_GROUP],
    ] as const) {
      const frames = await everything(client);
      const own = frames.filter(({ type }) => type !== "process_tree");
      expect(new Set(own.map(({ type }) => type))).toEqual(new Set(["process_upsert", "process_remove", "process_output"]));
      expect([...new Set(own.map(nameOf))].filter((name) => !isWithin(name, scope))).toEqual([]);
      // States and removals in the order of their happening; the output of each process between the right two of them.
      const events = ["process_upsert", "process_remove"];
      expect(own.filter(({ type }) => events.includes(type))).toEqual(happened.of(scope, events));
      const all = happened.of(scope, [...events, "process_output"]);
      for (const name of NAMES) expect(joined(own, name)).toEqual(joined(all, name));
      // The tree is told when it changed and never twice alike; at the end it is what it is.
      const trees = frames.filter(({ type }) => type === "process_tree").map(({ process_tree }) => shape(process_tree));
      expect(trees.length).toBeGreaterThan(0);
      expect(trees.filter((tree, index) => tree === trees[index - 1])).toEqual([]);
      expect(trees.at(-1)).toEqual(shape(rig.control.processTree(scope)));
    }

    const logged = await everything(log);
    expect(new Set(logged.map(({ type }) => type))).toEqual(new Set(["log_batch"]));
    // What is typed for a process that goes meanwhile is refused, and the log says so: that is no event of this list.
    const entries = (frames: Frame[]) =>
      frames.flatMap((frame) => frame.entries as { msg: string }[]).filter(({ msg }) => !msg.includes("' is refused: "));
    expect(entries(logged)).toEqual(entries(happened.of("\0log", ["log_batch"])));
    // The full view hears everything else, and without asking for it no output.
    const seen = (await everything(full)).map(({ type }) => type);
    expect(seen).toEqual(expect.arrayContaining(["process_upsert", "process_remove", "process_tree", "host_upsert", "log_batch"]));
    expect(seen).not.toContain("process_output");
  });
});

/** A tree without states, which are those of the moment. */
function shape(tree: unknown): string {
  return JSON.stringify(tree, (key, value: unknown) => (key === "state" ? undefined : value));
}
