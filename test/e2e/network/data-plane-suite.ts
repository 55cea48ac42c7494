import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { subjectOfTopic } from "../../../src/base/topic-subject.ts";
import type { Bus } from "../../../src/bus/client/bus.ts";
import type { BusMessage } from "../../../src/bus/client/bus-message.ts";
import { connectBus } from "../../../src/bus/client/connect-bus.ts";
import { connectClient, type DataClient } from "../../../src/client/data/index.ts";
import { LANGUAGES } from "../../clients/languages.ts";
import { Program } from "../../clients/program.ts";
import { NatsServer } from "../../support/nats-server.ts";
import { soak } from "../../support/soak.ts";
import type { Client, Frame } from "../support/client.ts";
import { type Foreground, Instance } from "../support/instance.ts";
import { eventually } from "../support/wait.ts";
import { addressesOf, byKey, FollowedTables, type Row } from "./data-plane-rig.ts";

const EXAMPLE = fileURLToPath(new URL("../../../examples/clients/thermometer.js", import.meta.url));
const FAR_TOKEN = "a-secret-of-two-machines-0123456789";
/** Messages of each publisher in one round, and rounds a second at most. */
const BURST = soak(1, 20);
const ROUNDS_S = 50;
const SUBSCRIBERS = { here: 5, far: 4 };
/** With a plain NATS client on the other host. */
const ALL_SUBSCRIBERS = 10;
const SHAPE = { name: "demo.MoveTo", endpoints: { call: { request: { type: "object" }, response: {}, description: "Moves the arm" } } };
const SPECS = Object.fromEntries(
  Array.from({ length: 20 }, (_, n) => [
    `gain/${n}`,
    { type: "float", value: n / 4, unit: "1/s", min: 0, max: 10, description: `Gain ${n}` } as const,
  ]),
);
type Host = "here" | "far";

interface Publisher {
  readonly name: string;
  readonly host: Host;
  readonly program: Program;
  sent: number;
}

interface Subscriber {
  readonly host: Host;
  readonly client: DataClient;
  /** Sequence numbers of the messages of each topic, as they came. */
  readonly numbers: ReadonlyMap<string, (number | null)[]>;
}

let folder = "";
/** The hub, if it is not the manager. */
let server: NatsServer | null = null;
let instance: Instance & { foreground: Foreground };
/** Canonical name of the manager's host. */
let local = "";
let script: Client;
let thermometerPid = 0;
const urls = { here: "", far: "" };
const publishers: Publisher[] = [];
const subscribers: Subscriber[] = [];
let plain: Bus;
/** The newest message of each subject on the other host: its number, and its bytes with headers. */
const newest = new Map<string, { seq: number; size: number }>();
let round: Promise<void> | null = null;
let isPublishing = false;

/** What is true of clients, topics and services of two hosts, whichever hub links them. */
export function dataPlaneSuite(hub: "the manager" | "nats-server"): void {
  beforeAll(() => begin(hub));
  afterAll(end);
  it("every field of clients, topics and services is true, and events alone tell the same", everyFieldIsTrue);
  it(
    "a service answers, and parameters are those of the program; a provider that does not answer is an error of its own",
    servicesAndParametersAnswer,
  );
  it("programs of one host lose no sample while the manager is killed, and the next manager finds all again", noSampleIsLost);
  it("a client that is killed goes, with its topics", aKilledClientGoes);
  it("what a user publishes reaches subscribers of both hosts, unless a program publishes the topic", aUserPublishes);
  if (hub === "nats-server")
    it("a client of the nats-server itself that publishes a topic of another client is shown as a problem, and logged", foreignIsShown);
}

async function begin(hub: "the manager" | "nats-server"): Promise<void> {
  server = hub === "nats-server" ? await NatsServer.start('leafnodes {listen: "127.0.0.1:$LEAF_PORT"}') : null;
  const external = server && { bus: server.url, bus_leafnode_url: `nats://127.0.0.1:${server.leafPort}` };
  const configuration = (more: Record<string, string>) => ({
    instance: { ...external, ...more },
    hosts: { far: { token_file: "far.token" } },
    processes: { "plant/thermometer": { command: [process.execPath, EXAMPLE], autostart: true, ready: { regex: "publishing" } } },
  });
  instance = await Instance.up(configuration({}));
  // The next manager has to be where the daemon of the other host looks for it.
  instance.write(configuration({ manager: new URL(instance.url).host }));
  writeFileSync(join(instance.dir, "far.token"), `${FAR_TOKEN}\n`, { mode: 0o600 });
  const [bus, state] = [server?.url ?? instance.url.replace(/^http/, "ws"), join(instance.dir, "state-far")];
  instance.start("daemon", "--host", "far", "--bus", bus, "--token-file", join(instance.dir, "far.token"), "--state-dir", state);
  script = await instance.connect();
  local = ((await script.snapshot()).hosts as string[]).find((host) => host !== "far") ?? "";
  await instance.mgr("wait", "plant/thermometer", "--for", "ready");
  thermometerPid = (await script.process("plant/thermometer")).pid ?? 0;
  urls.here = readFileSync(join(instance.stateDir, "bus.url"), "utf8").trim();
  urls.far = await eventually("the other host has a bus", () => existingText(join(state, "bus.url")));

  folder = mkdtempSync(join(tmpdir(), "mgr-data-plane-"));
  for (const language of LANGUAGES) {
    const [name, host] = [`arm/${language.name.toLowerCase()}`, language.name === "Python" ? "far" : "here"] as const;
    const program = await Program.start(await language.command(folder), urls[host], name, { MGR_DEBUG: language.isComplete ? "1" : "0" });
    publishers.push({ name, host, program, sent: 0 });
    await program.do("publisher", name, JSON.stringify({ title: `demo.${language.name}`, type: "object" }));
  }
  for (const host of ["here", "far"] as const)
    for (let n = 0; n < SUBSCRIBERS[host]; n++) subscribers.push(await subscribe(host, `viewer/${host}/${n}`));
  plain = await connectBus({ server: { kind: "url", urls: [urls.far] }, name: "plain" });
  plain.subscribe("topic.arm.>", (message) => {
    newest.set(message.subject, { seq: Number(message.headers?.get("Mgr-Seq")), size: sizeOf(message) });
  });
  await plain.flush();
  await publisher("arm/typescript").program.do("provide", "arm/move_to", JSON.stringify(SHAPE));
  await publisher("arm/typescript").program.do("parameters", JSON.stringify(SPECS));
}

async function end(): Promise<void> {
  // A failure of it was the failure of a test.
  await stopPublishing().catch(() => {});
  for (const { client } of subscribers) await client.close();
  await plain?.close();
  for (const { program } of publishers) await program[Symbol.asyncDispose]();
  await instance?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
}

async function everyFieldIsTrue(): Promise<void> {
  publish();
  for (const { name } of publishers)
    await script.until(
      `'${name}' flows`,
      ({ type, topic }) => type === "topic_upsert" && (topic as Row).name === name && Number((topic as Row).publisher_rate) > 0,
    );
  await untilHeard(() => true);
  await stopPublishing();
  await expectTruth(script);
  await expectEventsTold(script);
}

async function servicesAndParametersAnswer(): Promise<void> {
  expect(await script.ask({ type: "call_service", name: "arm/move_to", endpoint: "call", request: { to: 1 } })).toMatchObject({
    ok: true,
    response: { echo: { to: 1 }, endpoint: "call" },
  });
  await using dead = await connectClient({ name: "dead", url: urls.far });
  dead.provide("dead/parameters", { name: "mgr.parameters.v1", endpoints: { list: {} } }, () => new Promise(() => {}));
  // A provider may also be too slow for once, as everything on a busy machine.
  const found = await eventually("two sets of parameters and one error", async () => {
    const answer = await script.ask({ type: "request_parameters", pattern: "*" });
    const [errors, parameters] = [answer.errors as Row[], answer.parameters as Row[]];
    return errors.length === 1 && errors[0]?.provider === "dead" && parameters.length === 21 ? answer : null;
  });
  const client = await clientNamed(script, "arm/typescript");
  const service = "arm/typescript/parameters";
  const parameters = byKey(found.parameters, "name");
  for (const [name, { type, value, unit, min, max, description }] of Object.entries(SPECS)) {
    const text = String(value);
    expect(parameters.get(name)).toEqual({
      ...{ id: `${client.id}:${service}:${name}`, name, service, provider: "arm/typescript", provider_id: client.id },
      ...{ type, unit, minimum: min, maximum: max, description },
      ...{ input: text, output: text, override_value: text, override_enabled: false },
    });
  }
  const override = { type: "set_parameter_override", service, provider_id: client.id, parameter: "gain/3", enabled: true };
  expect(await script.ask({ ...override, value: "2.5" })).toMatchObject({ ok: true, enabled: true, value: "2.5" });
  expect(await publisher("arm/typescript").program.do("value", "gain/3")).toBe(2.5);
  expect(await script.ask({ ...override, value: "11" })).toMatchObject({ ok: false });
  expect(await publisher("arm/typescript").program.do("value", "gain/3")).toBe(2.5);
}

async function noSampleIsLost(): Promise<void> {
  const before = byKey(await allClients(script), "name");
  publish();
  instance.kill("manager");
  await instance.foreground.ended;
  await untilHeard((publisher, subscriber) => publisher.host === subscriber.host);
  await instance.start("up", "-c", instance.config).up();
  // Also between the hosts.
  await untilHeard(() => true);
  await stopPublishing();
  for (const { name, host, sent } of publishers) {
    const all = Array.from({ length: sent }, (_, n) => n + 1);
    for (const subscriber of subscribers.filter((each) => each.host === host)) {
      await eventually(`the last sample of '${name}'`, () => subscriber.numbers.get(name)?.at(-1) === sent);
      expect(subscriber.numbers.get(name)).toEqual(all);
    }
  }
  script = await instance.connect();
  const after = await allClients(script);
  await expectTruth(script);
  const ids = [...before.values()].map(({ id }) => Number(id));
  for (const { id } of after) expect(Number(id)).toBeGreaterThan(Math.max(...ids));
}

async function aKilledClientGoes(): Promise<void> {
  await script.snapshot();
  const { id } = await clientNamed(script, "arm/python");
  const from = script.here;
  publisher("arm/python").program.child.kill("SIGKILL");
  await script.until("the client goes", (frame) => frame.type === "client_remove" && frame.id === id, from);
  await script.until("its topic goes", (frame) => frame.type === "topic_remove" && frame.name === "arm/python", from);
  await expectEventsTold(script);
}

async function aUserPublishes(): Promise<void> {
  const heard = new Map<Host, unknown>();
  for (const host of ["here", "far"] as const)
    subscribers.find((each) => each.host === host)?.client.subscribe("arm/goal", { onMessage: ({ value }) => void heard.set(host, value) });
  // Repeated: the hub may not yet know of the subscriptions.
  await eventually("both hosts hear the user", async () => {
    const answer = await script.ask({ type: "publish_topic", name: "arm/goal", value: { x: 0.5 } });
    expect(answer).toMatchObject({ ok: true });
    return heard.size === 2;
  });
  expect([...heard.values()]).toEqual([{ x: 0.5 }, { x: 0.5 }]);
  const refused = await script.ask({ type: "publish_topic", name: "arm/typescript", value: {} });
  expect(refused).toMatchObject({ ok: false, message: expect.stringContaining("client 'arm/typescript'") });
}

async function foreignIsShown(): Promise<void> {
  const foreign = await connectBus({ server: { kind: "url", urls: [server?.url ?? ""] }, name: "foreign" });
  try {
    await script.snapshot();
    const from = script.here;
    foreign.publish(subjectOfTopic("arm/typescript"), "{}");
    const isProblem = ({ type, topic }: Frame) =>
      type === "topic_upsert" && (topic as Row).name === "arm/typescript" && /nats-server itself/.test(String((topic as Row).problem));
    await script.until("the problem is shown", isProblem, from);
    const problems = await instance.mgr("log", "--json");
    expect(problems.stdout).toMatch(/topic 'arm\/typescript': also published by a client that is connected to the nats-server itself/);
  } finally {
    await foreign.close();
  }
}

async function subscribe(host: Host, name: string): Promise<Subscriber> {
  const client = await connectClient({ name, url: urls[host], log: () => {} });
  const numbers = new Map(publishers.map((publisher) => [publisher.name, [] as (number | null)[]]));
  for (const [topic, list] of numbers) client.subscribe(topic, { onMessage: ({ seq }) => void list.push(seq) });
  await client.flush();
  return { host, client, numbers };
}

function publish(): void {
  isPublishing = true;
  round = (async () => {
    while (isPublishing) {
      await Promise.all(publishers.map(publishSome));
      await pause(1_000 / ROUNDS_S);
    }
  })();
}

async function publishSome(publisher: Publisher): Promise<void> {
  for (let n = 0; n < BURST; n++) {
    publisher.sent++;
    expect(await publisher.program.do("publish", publisher.name, JSON.stringify({ n: publisher.sent }))).toBe(true);
  }
}

async function stopPublishing(): Promise<void> {
  isPublishing = false;
  await round;
  round = null;
}

/** Resolves when each of these subscribers has received something that was published after this call. */
async function untilHeard(isMeant: (publisher: Publisher, subscriber: Subscriber) => boolean): Promise<void> {
  for (const publisher of publishers) {
    const { name, sent } = publisher;
    for (const subscriber of subscribers.filter((each) => isMeant(publisher, each)))
      await eventually(`samples of '${name}' arrive`, () => (subscriber.numbers.get(name)?.at(-1) ?? 0) > sent);
  }
}

/** Nothing is published meanwhile, except by the thermometer. */
async function expectTruth(client: Client): Promise<void> {
  const topics = await eventually("the counters are those of the publishers", async () => {
    const rows = byKey((await client.ask({ type: "request_topics" })).topics, "name");
    const isSettled = ({ name, sent }: Publisher) => {
      const row = rows.get(name);
      return row?.published_packets === sent && row.publisher_rate === 0 && row.subscribers === ALL_SUBSCRIBERS;
    };
    return publishers.every(isSettled) && newestOf().every(({ seq }, n) => seq === publishers[n]?.sent) ? rows : null;
  });
  for (const [n, { name, host, sent, program }] of publishers.entries()) {
    expect(topics.get(name)).toEqual({
      ...{
        name,
        publisher: name,
        publisher_host: hostName(host),
        subscribers: ALL_SUBSCRIBERS,
        publisher_rate: 0,
        published_packets: sent,
      },
      ...{ message_definition: `demo.${LANGUAGES[n]?.name}`, message_size: newestOf()[n]?.size, dropped_packets: 0, problem: null },
    });
    expect(await program.do("counters")).toMatchObject({ sent, unsent: 0 });
  }
  const names = ["arm/move_to", "arm/typescript/parameters", "room/calibrate", "room/thermometer/parameters"];
  // They are asked for their names after they have appeared.
  const services = await eventually("all services have told what they are", async () => {
    const rows = byKey((await client.ask({ type: "request_services" })).services, "name");
    return isDeepStrictEqual([...rows.keys()].sort(), names) ? rows : null;
  });
  expectClients(byKey((await client.ask({ type: "request_clients" })).clients, "name"));
  for (const [name, service] of services) {
    const provider = String(name).startsWith("arm/") ? "arm/typescript" : "room/thermometer";
    expect(service).toEqual({
      name,
      interface: service.interface,
      provider,
      provider_host: local,
      port: portOf("here"),
      unix_socket: null,
    });
  }
  expect(JSON.parse(String(services.get("arm/move_to")?.interface))).toEqual(SHAPE);
}

function expectClients(clients: ReadonlyMap<unknown, Row>): void {
  const arms = publishers.map(({ name }) => name);
  const common = {
    id: expect.any(Number),
    svn_revision: 0,
    modified: false,
    svc_debug: false,
    process_name: "",
    published_topics: [],
    provided_services: [],
  };
  const expected: Row[] = publishers.map(({ name, host, program }, n) => {
    const pid = program.child.pid ?? 0;
    const provided = name === "arm/typescript" ? ["arm/move_to", "arm/typescript/parameters"] : [];
    const about = { svc_debug: LANGUAGES[n]?.isComplete, published_topics: [name], subscribed_topics: [], provided_services: provided };
    return { ...common, name, pid, host: hostName(host), address: addressesOf(pid, portOf(host)).join(), library_version: 1, ...about };
  });
  for (const { host, client } of subscribers)
    expected.push({
      ...common,
      name: client.name,
      pid: process.pid,
      host: hostName(host),
      address: expect.any(String),
      library_version: 1,
      subscribed_topics: [...arms].sort(),
    });
  expected.push({
    ...common,
    name: "plain",
    pid: 0,
    host: "far",
    address: expect.any(String),
    library_version: 0,
    subscribed_topics: [...arms].sort(),
  });
  const pid = thermometerPid;
  const about = { process_name: "plant/thermometer", published_topics: ["room/temperature"], subscribed_topics: [] };
  const provided_services = ["room/calibrate", "room/thermometer/parameters"];
  expected.push({
    ...common,
    name: "room/thermometer",
    pid,
    host: local,
    address: addressesOf(pid, portOf("here")).join(),
    library_version: 1,
    ...about,
    provided_services,
  });
  const sorted = (rows: readonly Row[]) => [...rows].sort((a, b) => String(a.name).localeCompare(String(b.name)));
  expect(sorted([...clients.values()])).toEqual(sorted(expected));
  // Those of this very process, which has several connections.
  for (const host of ["here", "far"] as const) {
    const shown = [...clients.values()].filter((row) => row.host === hostName(host) && /^(viewer\/|plain$)/.test(String(row.name)));
    expect(shown.map(({ address }) => address).sort()).toEqual(addressesOf(process.pid, portOf(host)).sort());
  }
}

/** What a script knows that heard only events after its snapshot is what the manager answers. */
async function expectEventsTold(client: Client): Promise<void> {
  await eventually("events tell what the tables say", async () => {
    const answers = [
      await client.ask({ type: "request_clients" }),
      await client.ask({ type: "request_topics" }),
      await client.ask({ type: "request_services" }),
    ];
    const told = new FollowedTables(client.frames);
    const [clients, topics, services] = answers;
    const isSame = (rows: unknown, table: ReadonlyMap<unknown, Row>, key: string) =>
      isDeepStrictEqual([...byKey(rows, key)].sort(byName), [...table].sort(byName));
    return (
      isSame(clients?.clients, told.clients, "id") &&
      isSame(topics?.topics, told.topics, "name") &&
      isSame(services?.services, told.services, "name")
    );
  });
}

const byName = ([a]: [unknown, Row], [b]: [unknown, Row]) => String(a).localeCompare(String(b));
const hostName = (host: Host) => (host === "here" ? local : "far");
const portOf = (host: Host) => Number(new URL(urls[host]).port);
const newestOf = () => publishers.map(({ name }) => newest.get(subjectOfTopic(name)) ?? { seq: 0, size: 0 });

function publisher(name: string): Publisher {
  const found = publishers.find((each) => each.name === name);
  if (!found) throw new Error(`there is no publisher '${name}'`);
  return found;
}

/** Once the manager knows those of this test, with the plain one and the thermometer, and no others. */
async function allClients(client: Client): Promise<Row[]> {
  return eventually("the manager knows all clients", async () => {
    const rows = (await client.ask({ type: "request_clients" })).clients as Row[];
    return rows.length === publishers.length + subscribers.length + 2 ? rows : null;
  });
}

async function clientNamed(client: Client, name: string): Promise<Row> {
  const row = byKey((await client.ask({ type: "request_clients" })).clients, "name").get(name);
  if (!row) throw new Error(`the manager does not know the client '${name}'`);
  return row;
}

function sizeOf({ data, headers }: BusMessage): number {
  const lines = headers?.keys().map((key) => `${key}: ${headers.get(key)}\r\n`) ?? [];
  return Buffer.byteLength(`NATS/1.0\r\n${lines.join("")}\r\n`) + data.length;
}

function existingText(file: string): string | null {
  return existsSync(file) ? readFileSync(file, "utf8").trim() : null;
}
