import { connect } from "node:net";
import { expect, test } from "vitest";
import { protocolJsonSchema } from "../../src/protocol/frames/json-schema.ts";
import { GOOD, Rig, upgradeRequest } from "./rig.ts";

const BLOCKED_MS = 200;

/** `name{labels}` → value. */
function valuesOf(text: string): Map<string, number> {
  const samples = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(samples.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ") + 1))]));
}

async function metricsOf(rig: Rig): Promise<Map<string, number>> {
  const response = await rig.get("/mgr/metrics", { authorization: GOOD });
  expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  return valuesOf(await response.text());
}

test("metrics count processes by state, connections, frames, bytes, log entries, hosts, and the event loop", async () => {
  await using rig = await Rig.start();
  rig.control.update("lone", { state: "ready", restarts: 3 });
  rig.control.update("sim/eyes", { state: "error" });
  rig.control.log.append({ level: "warning", source: "manager", msg: "one" });
  Object.assign(rig.transport.frames, { received: 7, sent: 9 });
  const silent = connect(rig.server.port, "127.0.0.1");
  await expect.poll(async () => (await metricsOf(rig)).get('mgr_connections{phase="opening"}')).toBe(1);
  const first = await metricsOf(rig);
  expect(Object.fromEntries(first)).toMatchObject({
    'mgr_processes{state="ready"}': 1,
    'mgr_processes{state="error"}': 1,
    'mgr_processes{state="stopped"}': 1,
    'mgr_processes{state="backoff"}': 0,
    mgr_process_restarts: 3,
    'mgr_host_ready{host="testhost"}': 1,
    'mgr_log_entries_total{level="warning"}': 1,
    'mgr_frames_total{direction="received"}': 7,
    'mgr_frames_total{direction="sent"}': 9,
    'mgr_websockets{view="full"}': 0,
    mgr_connections_turned_away_total: 0,
    'mgr_network_bytes_total{host="testhost",interface="eth0",direction="received"}': 1_000,
    'mgr_network_drops_total{host="testhost",interface="eth0",direction="sent"}': 4,
    'mgr_topic_messages_total{host="testhost",topic="arm/state",end="published"}': 7,
    'mgr_topic_bytes_total{host="testhost",topic="arm/state",end="published"}': 700,
  });
  // In seconds: a figure in nanoseconds, Node's unit, would be above this.
  expect(first.get('mgr_event_loop_delay_seconds{quantile="0.99"}')).toBeLessThan(1_000_000);
  expect(first.get("mgr_resident_memory_bytes")).toBeGreaterThan(1_000_000);
  expect(first.get("mgr_open_descriptors")).toBeGreaterThan(5);
  rig.control.log.append({ level: "warning", source: "manager", msg: "two" });
  // The event loop stands still: the delay is measured since the scrape before. Again, should it stand still before the first measurement.
  const delayed = async () => {
    for (const end = performance.now() + BLOCKED_MS; performance.now() < end; );
    return (await metricsOf(rig)).get('mgr_event_loop_delay_seconds{quantile="1"}');
  };
  await expect.poll(delayed, { timeout: 60_000 }).toBeGreaterThan(BLOCKED_MS / 2_000);
  rig.control.update("lone", { state: "stopped" });
  const second = await metricsOf(rig);
  expect(second.get('mgr_log_entries_total{level="warning"}')).toBe(2);
  expect(second.get('mgr_processes{state="ready"}')).toBe(0);
  // The answer before was longer than that.
  const sent = 'mgr_bytes_total{direction="sent"}';
  expect((second.get(sent) ?? 0) - (first.get(sent) ?? 0)).toBeGreaterThan(1_000);
  silent.destroy();
});

test("every metric has help and a type, and its name has its unit", async () => {
  await using rig = await Rig.start();
  const text = await (await rig.get("/mgr/metrics", { authorization: GOOD })).text();
  const names = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = "", type]) => ({ name, type }));
  expect(names.length).toBeGreaterThan(10);
  for (const { name, type } of names) {
    expect(text).toMatch(new RegExp(`^# HELP ${name} \\S`, "m"));
    expect(name).toMatch(/^mgr_[a-z_]+$/);
    expect(name.endsWith("_total"), name).toBe(type === "counter");
  }
});

test("an upgrade that is open counts as a busy connection", async () => {
  await using rig = await Rig.start();
  const socket = connect(rig.server.port, "127.0.0.1");
  socket.write(upgradeRequest("/ws", rig.host, { Authorization: GOOD }));
  // This request is the other one.
  await expect.poll(async () => (await metricsOf(rig)).get('mgr_connections{phase="busy"}')).toBe(2);
  socket.destroy();
});

test("the schema of all frames equals that of the docs", async () => {
  await using rig = await Rig.start();
  const response = await rig.get("/mgr/schema", { authorization: GOOD });
  expect(response.headers.get("content-type")).toBe("application/json");
  expect(await response.json()).toEqual(JSON.parse(JSON.stringify(protocolJsonSchema())));
});
