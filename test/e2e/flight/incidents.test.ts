import { readdirSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Recording } from "../../../src/features/recordings/wire.ts";
import { readIndexed } from "../../features/recordings/samples/mcap/indexed-reader.ts";
import { sharedBrowser } from "../support/shared-browser.ts";
import { eventually } from "../support/wait.ts";
import { readJournal } from "./journals.ts";
import { shownIncident } from "./shown-incident.ts";
import { FlightTrial } from "./trial.ts";

/** Three hosts with a publisher each; small, because the benchmark (bench/flight-trial.ts) has the size of a machine. */
const SIZE = { hosts: 3, publishers: 3, rate: 200, bytes: 1_000, before: 3, after: 2 };

/** The time of a publisher is that of its start and a monotonic clock, which a slewed clock leaves by less than this, nanoseconds. */
const EDGE_NS = 50_000_000n;

let trial: FlightTrial;
beforeAll(async () => {
  trial = await FlightTrial.up(SIZE);
});
afterAll(() => trial?.[Symbol.asyncDispose]());

/** Nothing of the publishers of these hosts is missing, and clocks are known as exactly as the file says. */
async function expectComplete(id: string, hosts = trial.hosts): Promise<string> {
  const path = await trial.save(id);
  const { clocks, expected, ...judged } = await trial.judge(path, hosts);
  expect(judged).toEqual({ lost: 0, disordered: 0, unprinted: 0, terminals: hosts.length });
  expect(expected).toBeGreaterThan(SIZE.rate);
  for (const [host, { error, uncertainty }] of Object.entries(clocks))
    expect(Math.abs(error), `the clock of ${host} is known to ${uncertainty} ms`).toBeLessThanOrEqual(uncertainty);
  return path;
}

test("an incident has every sample and line that all hosts published, with a wrong clock put right, for @mcap/core, for Python and for the page", async () => {
  trial.killPid("h2", Number((await trial.client.process("victims/h2")).pid));
  const { id, missing } = await trial.incident("victims/h2");
  expect(missing).toEqual([]);
  const path = await expectComplete(id);
  const { messages } = await readIndexed(path);
  const counts: Record<string, number> = {};
  for (const { topic } of messages) counts[topic] = (counts[topic] ?? 0) + 1;
  const output = await trial.client.ask({ type: "request_incident_output", id, name: "publishers/p1" });
  expect(output).toMatchObject({ ok: true, is_cut: true, text: expect.stringMatching(/sample \d+\r\n/) });
  const read = await trial.python(path);
  expect(read.messages).toEqual(counts);
  expect(Object.keys(read.metadata)).toEqual(
    expect.arrayContaining(["mgr.incident", ...trial.hosts.map((host) => `mgr.incident.host/${host}`)]),
  );
  const browser = await sharedBrowser();
  try {
    const page = await shownIncident(browser, trial.fleet, { id, field: "mgr/link:rtt_ms", terminal: "publishers/p1" });
    for (const host of trial.hosts) expect(page.facts).toContain(host);
    expect(page.facts).not.toContain("Missing");
    expect(page.value).toBeGreaterThan(0);
    expect(page.terminal).toMatch(/sample \d+/);
    expect(page.network).toContain("h1 link round trip");
  } finally {
    await browser.close();
  }
});

/** Reads all files of the recording as one, and compares the samples with the journals. The times in the file are those of the manager. */
async function expectMerged(name: string, firsts: readonly number[], lasts: readonly number[]): Promise<string> {
  const path = join(trial.fleet.dir, `${name}.mcap`);
  writeFileSync(path, await trial.fleet.get(`/mgr/recording?${new URLSearchParams({ name, merge: "1" })}`));
  const { messages, metadata } = await readIndexed(path);
  for (const [index, { topic, host, journal }] of trial.publishers.entries()) {
    const { published, received } = readJournal(journal);
    const { uncertainty_ns = "" } = metadata.find((each) => each.name === `mgr.recording.host/${host}`)?.values ?? {};
    const slack = BigInt(uncertainty_ns) + EDGE_NS;
    const own = messages.filter((message) => message.topic === topic);
    const numbers = own.map(({ data }) => (JSON.parse(String(data)) as { n: number }).n);
    const [first = 0, last = 0] = [firsts[index], lasts[index]];
    expect(numbers.filter((n) => n >= first && n <= last)).toEqual(Array.from({ length: last - first + 1 }, (_, n) => first + n));
    for (const [at, { logTime }] of own.entries()) {
      const number = numbers[at] ?? 0;
      const time = logTime + trial.ahead(host);
      expect(time).toBeGreaterThan((published[number] ?? 0n) - slack);
      const until = received.find((each) => each.last >= number)?.time;
      if (until !== undefined) expect(time).toBeLessThan(until + slack);
    }
  }
  return path;
}

test("a recording of all hosts comes as one file, while it runs and afterwards, with a wrong clock put right, for @mcap/core and for Python", async () => {
  const { client, publishers } = trial;
  const journals = () => publishers.map(({ journal }) => readJournal(journal));
  const name = "run";
  expect(await client.ask({ type: "start_recording", name, topics: ["trial/*"], min_free_space: 0 })).toMatchObject({ ok: true });
  const firsts = journals().map(({ published }) => published.length);
  const files = async () => {
    const { recordings } = (await client.ask({ type: "request_recordings" })) as unknown as { recordings: Recording[] };
    return recordings.find((recording) => recording.name === name)?.files ?? [];
  };
  await eventually(
    "each host has a file",
    async () => (await files()).filter(({ messages }) => messages > SIZE.rate).length === SIZE.hosts,
  );
  await expectMerged(name, firsts, firsts);
  const lasts = journals().map(({ received }) => received.at(-1)?.last ?? 0);
  expect(await client.ask({ type: "stop_recording", name })).toMatchObject({ ok: true });
  const path = await expectMerged(name, firsts, lasts);
  const read = await trial.python(path);
  const { messages } = await readIndexed(path);
  expect(Object.values(read.messages).reduce((a, b) => a + b, 0)).toBe(messages.length);
  expect(Object.keys(read.metadata)).toEqual(expect.arrayContaining(trial.hosts.map((host) => `mgr.recording.host/${host}`)));
  await expect.poll(() => readdirSync(join(trial.fleet.dir, "state/downloads"))).toEqual([]);
  await client.ask({ type: "delete_recording", name });
});

/** Calls `then` once, when a file with such a name appears below the folder of the incidents. */
function whenFile(name: RegExp, then: () => void): void {
  const watcher = watch(join(trial.fleet.dir, "state/incidents"), { recursive: true }, (_event, path) => {
    if (path === null || !name.test(path)) return;
    watcher.close();
    then();
  });
}

test.each([
  ["at the moment of the trigger", null],
  ["while the parts are copied", /part-.*\.mcap$/],
  ["while the file is written", /incident\.mcap\.new$/],
])("a manager that is killed %s leaves an incident that the next one completes, without a missing sample", async (_when, file) => {
  const name = file === null ? "victims/h1" : `victims/${trial.hosts[0]}`;
  await trial.revive(name);
  const { pid, host } = await trial.client.process(name);
  const killed =
    file === null ? trial.fleet.killManager() : new Promise<void>((resolve) => whenFile(file, () => resolve(trial.fleet.killManager())));
  trial.killPid(String(host), Number(pid));
  await killed;
  await trial.restartManager();
  // Hosts that have not connected to the new manager yet are named as missing until then.
  const { id } = await trial.incident(name, ({ missing }) => missing.length === 0);
  await expectComplete(id);
  expect(readdirSync(join(trial.fleet.dir, "state/incidents", id)).sort()).toEqual(["incident.json", "incident.mcap"]);
});

test("a host that is cut off at the moment of the trigger is named as missing, and adds its part when it is back", async () => {
  await trial.revive("victims/h2");
  const { pid } = await trial.client.process("victims/h2");
  trial.fleet.link("h1", "cut");
  trial.killPid("h2", Number(pid));
  const away = await trial.incident("victims/h2");
  expect(away.missing).toEqual(["host h1 is not connected: its part is added when it is back"]);
  await expectComplete(
    away.id,
    trial.hosts.filter((host) => host !== "h1"),
  );
  trial.fleet.link("h1", "good");
  const whole = await trial.incident("victims/h2", (incident) => incident.missing.length === 0);
  expect(whole.id).toBe(away.id);
  await expectComplete(whole.id);
});
