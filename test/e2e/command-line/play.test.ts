import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { connectBus } from "../../../src/bus/client/connect-bus.ts";
import { connectClient } from "../../../src/client/index.ts";
import type { Client } from "../support/client.ts";
import { exampleOf, runDocument } from "../support/document-commands.ts";
import { type Configuration, Instance } from "../support/instance.ts";
import { TerminalSession } from "../support/terminal.ts";
import { eventually } from "../support/wait.ts";

// The arm of the demo is recorded, and its recording is played while the simulation is stopped: the commands of docs/replay.md, as they stand there.

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const DEMO = join(ROOT, "examples/demo");
const LINE = /(\d\d:\d\d:\d\d) \d+ samples, [^\r\n]*/;

let instance: Instance;
let client: Client;
/** Lines of arm/summary by their second: while the simulation ran, and while its recording was played. */
let live: Map<string, string>;
let played: Map<string, string>;

const recorded = () => join(instance.dir, "run1.mcap");
const busUrl = () => readFileSync(join(instance.stateDir, "bus.url"), "utf8").trim();
const play = (...args: string[]) => instance.run("play", "-c", instance.config, ...args);

async function printed(): Promise<string[]> {
  const { stdout } = await instance.mgr("logs", "arm/summary");
  return stdout.split("\n").flatMap((line) => LINE.exec(line)?.[0] ?? []);
}
const bySecond = (lines: readonly string[]) => new Map(lines.map((line) => [LINE.exec(line)?.[1] ?? "", line]));

beforeAll(async () => {
  const { processes } = parse(readFileSync(join(DEMO, "mgr.yaml"), "utf8")) as Configuration;
  const arm = Object.fromEntries(Object.entries(processes).filter(([name]) => name.startsWith("arm/")));
  instance = new Instance({ processes: arm });
  cpSync(join(DEMO, "programs/arm"), join(instance.dir, "programs/arm"), { recursive: true });
  mkdirSync(join(instance.dir, "node_modules"));
  symlinkSync(ROOT, join(instance.dir, "node_modules/mgr"));
  await instance.mgr("up", "--detach");
  await instance.mgr("wait", "arm/simulation", "arm/controller", "arm/summary", "--for", "ready");
  client = await instance.connect();
  const before = (await printed()).length;
  const outcomes = await runDocument(instance, "docs/replay.md");
  for (const { line, code, stderr } of outcomes) expect({ line, code, stderr }).toMatchObject({ code: 0, stderr: "" });
  // Each second is printed at the first message of the next one, so what was published live comes before what was played.
  const names = async () => ((await client.ask({ type: "request_topics" })).topics as { name: string }[]).map(({ name }) => name);
  await eventually("the topic of the play is gone", async () => !(await names()).includes("arm/joint_states"));
  const lines = (await printed()).slice(Math.max(0, before - 1));
  // The play begins where the time goes back.
  const seconds = lines.map((line) => LINE.exec(line)?.[1] ?? "");
  const begin = seconds.findIndex((second, index) => index > 0 && second <= (seconds[index - 1] ?? ""));
  expect(begin).toBeGreaterThan(0);
  live = bySecond(lines.slice(0, begin));
  played = bySecond(lines.slice(begin));
});
afterAll(() => instance?.[Symbol.asyncDispose]());

describe("the demo's arm", () => {
  test("prints the same numbers when a recording of it is played", () => {
    // The first second was recorded in part.
    const [, ...whole] = [...played];
    expect(whole.length).toBeGreaterThanOrEqual(2);
    for (const [second, line] of whole) expect(line).toBe(live.get(second));
  });

  test("a test computes the same mean twice from its recording", async () => {
    const code = exampleOf("docs/replay.md", "Tests from a recording", "ts");
    writeFileSync(join(instance.dir, "from-recording.mjs"), code);
    const run = async () => (await promisify(execFile)(process.execPath, ["from-recording.mjs"], { cwd: instance.dir })).stdout;
    const [one, other] = await Promise.all([run(), run()]);
    expect(one).toMatch(/^\d{3,} messages, mean -?\d\.\d+, 1 tick\n$/);
    expect(other).toBe(one);
  });
});

describe("live publishers", () => {
  test("topics that a registered or a plain program publishes are refused by name, or left out", async () => {
    const registered = await connectClient({ name: "live arm", url: busUrl() });
    const plain = await connectBus({ server: { kind: "url", urls: [busUrl()] }, name: "plain" });
    try {
      await registered.publisher("arm/joint_states");
      plain.publish("topic.arm.torque", "{}");
      await plain.flush();
      const publishers = async () => ((await client.ask({ type: "request_topics" })).topics as { name: string }[]).map(({ name }) => name);
      await eventually("the manager knows both", async () => {
        const names = await publishers();
        return names.includes("arm/joint_states") && names.includes("arm/torque");
      });
      expect(await play(recorded(), "--topics", "arm/joint_states")).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(
          /'arm\/joint_states' is published by 'live arm' on .*: end it, or use --remap, --topics or --skip-live/,
        ),
      });
      expect((await play(recorded(), "--topics", "arm/torque")).stderr).toContain("'arm/torque' is published by 'plain'");
      expect(await play(recorded(), "--skip-live", "--topics", "arm/*")).toMatchObject({ code: 3 });
      const beside = await play(recorded(), "--remap", "arm/*=old/*", "--rate", "1000");
      expect(beside).toMatchObject({ code: 0, stderr: "", stdout: expect.stringMatching(/\d{3,} messages published/) });
    } finally {
      await registered.close();
      await plain.close();
    }
  });
});

describe("mgr play in a terminal", () => {
  test("is paused, steps, seeks and changes its rate by keys, and reserves its topics meanwhile", async () => {
    const words = ["play", recorded(), "-c", instance.config, "--topics", "arm/joint_states", "--paused"];
    const terminal = new TerminalSession(words, { rows: 10, cols: 120, environment: instance.environment });
    const other = await connectClient({ name: "other", url: busUrl(), log: () => {} });
    const times: unknown[] = [];
    other.subscribe("mgr/clock", { onMessage: ({ value }) => times.push(value) });
    let steps = 0;
    other.subscribe("arm/joint_states", { onMessage: () => steps++ });
    await terminal.untilShown(/paused {2}0:00\.0 \/ 0:0\d\.\d {2}×1 {2}0 messages/);
    await other.flush();
    terminal.type("s");
    await terminal.untilShown(/1 messages/);
    await eventually("the message arrives", () => steps === 1);
    await expect(other.publisher("arm/joint_states")).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining("'mgr play'"),
    });
    terminal.type("+-+");
    await terminal.untilShown(/×2 /);
    terminal.type("\x1b[C");
    await terminal.untilShown(/paused {2}0:0[2-9]\.\d/);
    await expect.poll(() => times).toContainEqual({ time: expect.stringMatching(/^\d{19}$/), rate: 0 });
    terminal.type("\x1b[H ");
    await terminal.untilShown(/playing/);
    terminal.type("q");
    expect(await terminal.ended).toMatchObject({ exitCode: 0 });
    expect(terminal.text).toMatch(/\d+ messages published/);
    await other.close();
  });
});
