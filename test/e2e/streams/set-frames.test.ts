import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Client, ProcessView } from "../support/client.ts";
import { Instance } from "../support/instance.ts";
import { eventually } from "../support/wait.ts";

// Every frame that sets something of a process, through its whole life: seen at once, kept over a killed manager, in effect at
// the next start, cleared by "", and a wrong value refused without a change.

const name = "one";
interface Setting {
  readonly set: { type: string; [field: string]: unknown };
  readonly shown: Record<string, unknown>;
  readonly clear: Record<string, unknown>;
  readonly cleared: Record<string, unknown>;
  readonly wrong: Record<string, unknown>;
}
const attribute = "set_process_attribute";
const SETTINGS: readonly Setting[] = [
  {
    set: { type: "set_process_command_override", override: "sleep 2222" },
    shown: { command_override: "sleep 2222" },
    clear: { override: "" },
    cleared: { command_override: null },
    wrong: { override: 7 },
  },
  {
    set: { type: "set_process_alternate_command_override", which: "other", override: "sleep 3333" },
    shown: { alternate_command_overrides: { other: "sleep 3333" } },
    clear: { override: "" },
    cleared: { alternate_command_overrides: {} },
    wrong: { which: "no such" },
  },
  {
    set: { type: "set_process_current_alternate_command", which: "other" },
    shown: { current_alternate_command: "other" },
    clear: { which: "default" },
    cleared: { current_alternate_command: "default" },
    wrong: { which: "no such" },
  },
  {
    set: { type: attribute, attribute: "start_tool", value: "marked" },
    shown: { start_tool: "marked" },
    clear: { value: "" },
    cleared: { start_tool: null },
    wrong: { value: "gbd" },
  },
  {
    set: { type: attribute, attribute: "svc_debug", value: true },
    shown: { svc_debug: true },
    clear: { value: "" },
    cleared: { svc_debug: false },
    wrong: { value: "perhaps" },
  },
  {
    set: { type: "set_process_low_delay_output", enabled: true },
    shown: { low_delay_output: true },
    clear: { enabled: false },
    cleared: { low_delay_output: false },
    wrong: { enabled: "yes" },
  },
  {
    set: { type: "set_process_no_skip_display", enabled: true },
    shown: { no_skip_display: true },
    clear: { enabled: false },
    cleared: { no_skip_display: false },
    wrong: { enabled: 1 },
  },
];
const ALL_SHOWN = Object.assign({}, ...SETTINGS.map(({ shown }) => shown)) as Record<string, unknown>;
const ALL_CLEARED = Object.assign({}, ...SETTINGS.map(({ cleared }) => cleared)) as Record<string, unknown>;

async function upserted(client: Client, from: number, fields: Record<string, unknown>): Promise<void> {
  const isMeant = ({ type, process }: { type: string; process?: unknown }) =>
    type === "process_upsert" && JSON.stringify({ ...(process as object), ...fields }) === JSON.stringify(process);
  await client.until(`an upsert with ${JSON.stringify(fields)}`, isMeant, from);
}

/** Arguments and environment of the program as the kernel has them. */
async function started(client: Client): Promise<{ argv: string[]; environment: string[] }> {
  await client.command({ type: "start_process", name });
  const pid = await eventually("it runs", async () => {
    const { state, pid } = await client.process(name);
    // What stands between is gone once the program is what was asked for.
    const has = (file: string, text: string) => readFileSync(`/proc/${pid}/${file}`, "utf8").includes(text);
    return state === "started" && has("cmdline", "sleep\0") && has("environ", "MGR_RUN=") && pid;
  });
  const read = (file: string) => readFileSync(`/proc/${pid}/${file}`, "utf8").split("\0").slice(0, -1);
  const seen = { argv: read("cmdline"), environment: read("environ") };
  const from = client.here;
  await client.command({ type: "stop_process", name });
  await client.untilState(name, "stopped", from);
  return seen;
}

test("each is seen, kept, in effect and cleared; a wrong value changes nothing", async () => {
  await using instance = await Instance.up({
    instance: { start_tools: [{ value: "marked", label: "Marked", command: "env TOOL=marked {command}" }] },
    processes: { [name]: { command: "sleep 1111", alternate_commands: { other: "sleep 1112" } } },
  });
  const client = await instance.connect();
  for (const { set, shown, wrong } of SETTINGS) {
    const from = client.here;
    const answer = await client.ask({ ...set, name });
    expect(answer.type === "ack" || answer.ok, JSON.stringify(answer)).toBe(true);
    await upserted(client, from, shown);
    const before = await client.process(name);
    const refusal = await client.ask({ ...set, name, ...wrong });
    expect(refusal.ok === false || refusal.type === "error", JSON.stringify(refusal)).toBe(true);
    expect(await client.process(name)).toEqual(before);
  }

  instance.kill("manager");
  await instance.foreground.ended;
  await instance.start("up", "-c", instance.config).up();
  const again = await instance.connect();
  expect(await again.process(name)).toMatchObject(ALL_SHOWN as Partial<ProcessView>);
  const changed = await started(again);
  expect(changed.argv).toEqual(["sleep", "3333"]);
  expect(changed.environment).toEqual(expect.arrayContaining(["MGR_DEBUG=1", "TOOL=marked"]));
  await again.command({ type: "set_process_current_alternate_command", name, which: "default" });
  expect((await started(again)).argv).toEqual(["sleep", "2222"]);

  for (const { set, clear, cleared } of SETTINGS) {
    const answer = await again.ask({ ...set, name, ...clear });
    expect(answer.type === "ack" || answer.ok, JSON.stringify(answer)).toBe(true);
    expect(await again.process(name)).toMatchObject(cleared as Partial<ProcessView>);
  }
  expect(await again.process(name)).toMatchObject(ALL_CLEARED as Partial<ProcessView>);
  const plain = await started(again);
  expect(plain.argv).toEqual(["sleep", "1111"]);
  expect(plain.environment.filter((each) => /^(MGR_DEBUG|TOOL)=/.test(each))).toEqual([]);
});
