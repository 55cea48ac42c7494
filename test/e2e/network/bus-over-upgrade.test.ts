import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createBroker } from "../../../src/bus/broker/broker.ts";
import { connectBus } from "../../../src/bus/client/connect-bus.ts";
import { builtDaemon, greetHost, startDaemonProgram } from "../../daemon/support/built-daemon.ts";
import { SPEC } from "../../features/recordings/host/recording-rig.ts";
import { readMcap } from "../../features/recordings/samples/mcap/independent-reader.ts";
import { until } from "../../support/processes.ts";

const PROGRAM = join(import.meta.dirname, "../../fixtures/numbered-samples.py");
const [TOPICS, RATE, COUNT] = [5, 1_000, 3_000];
let built = "";
beforeAll(async () => {
  built = await builtDaemon();
});
afterAll(() => rmSync(built, { recursive: true }));

it("a daemon that replaces its program twice loses no sample of a Python client, and records all of them in one file", async () => {
  const folder = mkdtempSync(join(tmpdir(), "mgr-bus-upgrade-"));
  const state = join(folder, "state");
  const broker = createBroker();
  await broker.listenUnix(join(folder, "bus.sock"));
  const bus = await connectBus({ server: { kind: "memory", broker }, name: "test" });
  const options = { state_dir: state, host: "bench", bus: { socket: join(folder, "bus.sock") }, version: "1.0.0" };
  const daemon = startDaemonProgram(join(built, "dist/daemon.cjs"), options);
  const log = () => readFileSync(join(state, "daemon.log"), "utf8");
  try {
    const first = await greetHost(bus, "bench");
    await first.link.request("record_start", { session: first.session, spec: SPEC });
    const url = readFileSync(join(state, "bus.url"), "utf8").trim();
    const client = spawn("python3", [PROGRAM, String(TOPICS), String(RATE), String(COUNT)], {
      env: { ...process.env, MGR_BUS_URL: url },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [output, errors, closed] = [text(client.stdout), text(client.stderr), once(client, "close")];
    await once(client.stdout, "data");
    for (let replacements = 1, session = first.session; replacements <= 2; replacements++) {
      await first.link.request("replace_program", { session, program: null, node: null });
      await until(
        () => log().split("this program has replaced").length > replacements,
        60_000,
        () => log() + daemon.errors(),
      );
      ({ session } = await greetHost(bus, "bench", replacements + 1));
    }
    expect([await closed, await errors]).toEqual([[0, null], ""]);
    const result = JSON.parse((await output).split("\n").at(-2) ?? "");
    expect(result).toMatchObject({ complete: TOPICS, lost: 0, double: 0, problems: [] });
    const last = await greetHost(bus, "bench", 4);
    await last.link.request("record_stop", { session: last.session, name: SPEC.name });
    const files = readdirSync(join(state, "recordings", SPEC.name)).filter((name) => name.endsWith(".mcap"));
    expect(files).toHaveLength(1);
    const { messages, messageCount } = readMcap(readFileSync(join(state, "recordings", SPEC.name, files[0] ?? "")));
    expect(Number(messageCount)).toBe(TOPICS * COUNT);
    for (let topic = 0; topic < TOPICS; topic++) {
      const numbers = messages.filter((message) => message.topic === `arm/t${topic}`).map(({ data }) => JSON.parse(String(data)).n);
      expect(numbers).toEqual(Array.from({ length: COUNT }, (_, n) => n));
    }
  } finally {
    daemon.daemon.kill("SIGTERM");
    await daemon.exit;
    await bus.close();
    await broker.close();
    rmSync(folder, { recursive: true });
  }
});
