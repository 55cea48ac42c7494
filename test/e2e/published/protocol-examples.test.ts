import { readFileSync, writeFileSync } from "node:fs";
import { hostname, release } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { exampleFiles, examplesText, type Frame, framesOf, readExamples, type Step } from "../../../scripts/documents/protocol-examples.ts";
import { CLIENT_FRAMES } from "../../contract/client-frames.ts";
import { MANAGER_FRAMES } from "../../contract/manager-frames.ts";
import { BusProgram } from "../support/bus-program.ts";
import type { Client } from "../support/client.ts";
import { Instance } from "../support/instance.ts";
import { blockIntentFile, unblockIntentFile } from "../support/intent-file.ts";
import { MARK } from "../support/marked.ts";

// Every conversation of docs/protocol.md, held against a live manager, in order. With MGR_RECORD the frames that come are
// written into docs/protocol-examples.yaml and those of the features instead of being compared with what stands there.

const RECORDS = process.env.MGR_RECORD !== undefined;
/** Where the manager of the document runs, on which host, and the release of its kernel. */
const [DIR, HOST, PATH, KERNEL] = ["/srv/bench", "bench", "/usr/local/bin:/usr/bin:/bin", "6.1.0-44-amd64"];

const { configuration, examples } = readExamples();
let instance: Instance;
let client: Client;
/** Appended to the configuration, so that lost processes would be found; taken out of what comes. */
let mark: string;
let program: BusProgram | null = null;

beforeAll(async () => {
  instance = new Instance({ processes: {} });
  mark = `defaults: {environment: {${MARK}: ${instance.mark}}}\n`;
  writeFileSync(instance.config, configuration + mark);
  await instance.start("up", "-c", instance.config).up();
  client = await instance.connect();
});
afterAll(() => program?.end());
afterAll(() => instance?.[Symbol.asyncDispose]());

const recorded: { title: string; steps: Step[] }[] = [];

test.each(examples)("$title", async ({ title, steps }) => {
  const done: Step[] = [];
  // Also when it is tried again.
  recorded[examples.findIndex((each) => each.title === title)] = { title, steps: done };
  for (const { cause, effects } of turnsOf(steps)) {
    const from = client.here;
    if ("send" in cause) client.send(toLive(cause.send));
    else await (HAPPENINGS[cause.happens] ?? expect.fail(`there is no way to make '${cause.happens}' happen`))();
    // An answer and the events that it brings may come in any order.
    const came = new Map<Frame, Step>();
    for (const { match, receive } of effects) {
      const isMeant = (frame: Frame) => !came.has(frame) && matches(toDocument(frame), match);
      const frame = await client.until(`a frame like ${JSON.stringify(match)}`, isMeant, from);
      const shown = toDocument(frame) as Frame;
      if (!RECORDS) expect(shapeOf(shown), "a frame like the one in the document").toEqual(shapeOf(receive));
      came.set(frame, { match, receive: keepIfSame(shown, receive) });
    }
    const inOrder = RECORDS ? [...came].sort(([a], [b]) => client.frames.indexOf(a) - client.frames.indexOf(b)) : [...came];
    done.push(cause, ...inOrder.map(([, step]) => step));
  }
});

test("every existing frame occurs in an example", () => {
  const shown = new Set(examples.flatMap(({ steps }) => steps.flatMap(framesOf)));
  expect(Object.keys(CLIENT_FRAMES).filter((type) => !shown.has(`sent ${type}`))).toEqual([]);
  expect(Object.keys(MANAGER_FRAMES).filter((type) => !shown.has(`received ${type}`))).toEqual([]);
});

test("examples are unchanged, or were recorded again", () => {
  expect(
    recorded.map(({ steps }) => steps.length),
    "steps that were gone through",
  ).toEqual(examples.map(({ steps }) => steps.length));
  for (const file of exampleFiles()) {
    const old = readFileSync(file, "utf8");
    const text = examplesText(old, recorded);
    if (RECORDS) writeFileSync(file, text);
    else expect(text, `${file.pathname} as recording writes it`).toBe(old);
  }
});

interface Turn {
  readonly cause: Exclude<Step, { match: object }>;
  readonly effects: Extract<Step, { match: object }>[];
}

/** The steps, each cause with what it brings. */
function turnsOf(steps: readonly Step[]): Turn[] {
  const turns: Turn[] = [];
  for (const step of steps) {
    if (!("match" in step)) turns.push({ cause: step, effects: [] });
    else turns.at(-1)?.effects.push(step);
  }
  return turns;
}

const HAPPENINGS: Readonly<Record<string, () => unknown>> = {
  "the daemon of the host is killed": () => instance.kill("daemon"),
  "a program publishes a topic and provides services": async () => {
    program = await BusProgram.start(join(instance.dir, "state"));
    program.publish(1.5);
  },
  "the program ends": () => program?.end(),
  "the state folder takes no file": () => blockIntentFile(instance.stateDir),
  "the state folder takes files again": () => unblockIntentFile(instance.stateDir),
};

/** A frame of the document as this manager has to get it. */
function toLive(frame: Frame): Frame {
  const live = JSON.parse(JSON.stringify(frame).replaceAll(DIR, instance.dir)) as Record<string, unknown> & Frame;
  if ("pid" in live) return { ...live, pid: pidOf("sim/world"), tid: pidOf("sim/world") };
  const own = { host: hostname(), pid: process.pid, tid: process.pid };
  if (Array.isArray(live.tasks)) return { ...live, tasks: live.tasks.map((task: object) => ({ ...task, ...own })) };
  if (live.type === "answer_confirmation") return { ...live, id: idOfOpenConfirmation() };
  if (live.type === "remove_silence") return { ...live, id: idOfNewestSilence() };
  if (live.type === "control_playback") return { ...live, playback: idOfNewestPlay() };
  if (live.type === "delete_incident") return { ...live, id: idOfNewestIncident() };
  if (live.type !== "save_config_file") return live;
  const file = client.frames.findLast(({ type }) => type === "config_file");
  return { ...live, content: `${live.content}${mark}`, base_hash: file?.hash };
}

function idOfOpenConfirmation(): unknown {
  const shown = client.frames.findLast(({ type }) => type === "confirmations");
  return (shown?.confirmations as { id: string }[] | undefined)?.[0]?.id;
}

function idOfNewestSilence(): unknown {
  const made = client.frames.findLast(({ type }) => type === "silence_created");
  return (made?.silence as { id: string } | undefined)?.id;
}

function idOfNewestPlay(): string | undefined {
  const begun = client.frames.findLast(({ type }) => type === "playback");
  return (begun?.playback as { id: string } | undefined)?.id;
}

function idOfNewestIncident(): string | undefined {
  const begun = client.frames.findLast(({ type }) => type === "incident_upsert");
  return (begun?.incident as { id: string } | undefined)?.id;
}

function pidOf(name: string): unknown {
  const isOf = ({ type, process }: Frame) => type === "process_upsert" && (process as { name: string }).name === name;
  return (client.frames.findLast(isOf)?.process as { pid: number } | undefined)?.pid;
}

/** A frame of this manager as the document shows it: of a host 'bench' and a folder /srv/bench. */
function toDocument(value: unknown): unknown {
  if (typeof value === "string") {
    if (value === hostname()) return HOST;
    if (value === release()) return KERNEL;
    return value
      .replace(/nats:\/\/\S+@127\.0\.0\.1:\d+/, "nats://TOKEN@127.0.0.1:4222")
      .replace(/^mgr_[\w-]{43}$/, "mgr_TOKEN")
      .replace(/^export PATH=.*/, `export PATH=${PATH}`)
      .replaceAll(mark, "")
      .replaceAll(instance.dir, DIR)
      .replaceAll(`'${hostname()}'`, `'${HOST}'`);
  }
  if (Array.isArray(value)) return value.filter((item) => !String(item).startsWith(`export ${MARK}=`)).map(toDocument);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).flatMap(([key, field]) => (key === MARK ? [] : [[key, toDocument(field)]])));
}

function matches(value: unknown, pattern: unknown): boolean {
  if (typeof pattern !== "object" || pattern === null) return value === pattern;
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(pattern).every(([key, field]) => matches((value as Record<string, unknown>)[key], field));
}

/** Fields that are other ones each time, or on each machine: only their kind is compared. */
const VOLATILE = new Set(
  "pid tid ts key times file clock_offset version time start_time stop_time next_start_time requested_time lost_time publisher_rate rate bytes_s packets sample_seconds tasks address port cpu_percent memory_rss ready_time offset stream_id id run_id hash base_hash effective_hash webui_asset_hash aliases all_names size stats topology connections display start memory descriptors threads context_switches_s read_bytes_s written_bytes_s major_faults_s series step next since last settings pss private swap left_out definition executable limits bytes disk_bytes messages missing last_age_ms".split(
    " ",
  ),
);

/** Whether something was measured already is a matter of time. */
const NULL_AT_FIRST = new Set(["oldest", "newest", "offset_ms", "uncertainty_ms", "reaches", "resources", "resources_problem"]);

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}$/;

function shapeOf(value: unknown, key = ""): unknown {
  if (NULL_AT_FIRST.has(key)) return "a value or null";
  if (value === null || value === undefined) return value;
  if (VOLATILE.has(key)) return Array.isArray(value) ? "array" : typeof value;
  // Which debuggers are offered is a matter of the machine: 'default' and 'no tool' always are.
  if (key === "start_tools") return (value as unknown[]).slice(0, 2);
  if (key === "rows" && Array.isArray(value)) return value.map((row) => Object.keys(row as object));
  // How many entries come in one live batch, and which examples went before, differs.
  if (key === "entries" || key === "events") return (value as unknown[]).slice(0, 1).map((item) => shapeOf(item));
  if (Array.isArray(value)) return value.map((item) => shapeOf(item));
  if (typeof value === "string" && TIME.test(value)) return "time";
  if (typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, shapeOf(field, name)]));
}

/** A frame that differs in nothing but volatile fields is not recorded anew. */
function keepIfSame(came: Frame, before: Frame | undefined): Frame {
  return before && JSON.stringify(shapeOf(came)) === JSON.stringify(shapeOf(before)) ? before : came;
}
