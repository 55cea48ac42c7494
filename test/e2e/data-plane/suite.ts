import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { subjectOfTopic } from "../../../src/base/topics/topic-subject.ts";
import { connectBus } from "../../../src/bus/client/connect-bus.ts";
import type { Client, Frame } from "../support/client.ts";
import { eventually } from "../support/wait.ts";
import { ALL_SUBSCRIBERS, PLACES, Plant, pidOf } from "./plant.ts";
import { byKey, type Row } from "./rig.ts";
import { SHAPE, Truth } from "./truth.ts";

const SPECS = Object.fromEntries(
  Array.from({ length: 20 }, (_, n) => [
    `gain/${n}`,
    { type: "float", value: n / 4, unit: "1/s", min: 0, max: 10, description: `Gain ${n}` } as const,
  ]),
);

/** With so many plants, one after the other, a test is tried while programs lose their connections. */
const MAX_PLANTS = 4;
const TIMEOUT_MS = 300_000;

let plant: Plant;
let truth: Truth;
let script: Client;
let hub: "the manager" | "nats-server";
/** A test that failed may have left it in any state. */
let isIntact = false;

/** What is true of clients, topics and services of two hosts, whichever hub links them. */
export function dataPlaneSuite(name: typeof hub): void {
  hub = name;
  beforeAll(begin);
  afterAll(() => plant?.[Symbol.asyncDispose]());
  it(
    "every field of clients, topics and services is true, rates while topics flow, and events alone tell the same",
    () => undisturbed(everyFieldIsTrue),
    TIMEOUT_MS,
  );
  it("a service answers, and parameters are those of the program; a provider that does not answer is an error of its own", () =>
    intact(servicesAndParametersAnswer));
  it(
    "programs of one host lose no sample while the manager is killed, and the next manager finds all again",
    () => undisturbed(noSampleIsLost),
    TIMEOUT_MS,
  );
  it("a client that is killed is removed, with its topics", () => intact(aKilledClientGoes));
  it("what a user publishes reaches subscribers of both hosts, unless a program publishes the topic", () => intact(aUserPublishes));
  if (hub === "nats-server")
    it("a client of the nats-server itself that publishes a topic of another client is shown as a problem, and logged", () =>
      intact(foreignIsShown));
}

/** Runs a test with the plant, with a new one after a test that failed. */
async function intact(test: () => Promise<void>): Promise<void> {
  if (!isIntact) {
    await plant[Symbol.asyncDispose]();
    await begin();
  }
  isIntact = false;
  await test();
  isIntact = true;
}

/**
 * The same with a test of what programs hear of each other. On a machine that stands still for seconds they take their broker for dead and
 * connect again. Then nothing can be said of what they missed, and all begins anew.
 */
async function undisturbed(test: () => Promise<void>): Promise<void> {
  for (let plants = 1; ; plants++) {
    const before = plant.connections();
    try {
      return await intact(test);
    } catch (error) {
      if (plants === MAX_PLANTS || isDeepStrictEqual(plant.connections(), before)) throw error;
    }
  }
}

async function begin(): Promise<void> {
  plant = await Plant.start(hub);
  script = await plant.fleet.connect();
  const local = ((await script.snapshot()).manager as { host: string }).host;
  await plant.fleet.mgr("wait", "plant/thermometer", "--for", "ready");
  truth = new Truth(plant, { local, thermometerPid: (await script.process("plant/thermometer")).pid ?? 0 });
  const { program } = plant.publisher("arm/typescript");
  await program.do("provide", "arm/move_to", JSON.stringify(SHAPE));
  await program.do("parameters", JSON.stringify(SPECS));
  await allClients();
  isIntact = true;
}

async function everyFieldIsTrue(): Promise<void> {
  const from = script.here;
  plant.flow();
  await truth.expectRates(script, from);
  await plant.untilHeard(() => true);
  await plant.stop();
  await truth.expect(script);
  await truth.expectEventsSent(script);
}

async function servicesAndParametersAnswer(): Promise<void> {
  await eventually("the manager knows the service", async () =>
    byKey((await script.ask({ type: "request_services" })).services, "name").has("arm/move_to"),
  );
  expect(await script.ask({ type: "call_service", name: "arm/move_to", endpoint: "call", request: { to: 1 } })).toMatchObject({
    ok: true,
    response: { echo: { to: 1 }, endpoint: "call" },
  });
  await plant.viewers("far").do("silent", "dead");
  // A provider may also be too slow for once, as everything on a busy machine.
  const found = await eventually("two sets of parameters and one error", async () => {
    const answer = await script.ask({ type: "request_parameters", pattern: "*" });
    const [errors, parameters] = [answer.errors as Row[], answer.parameters as Row[]];
    return errors.length === 1 && errors[0]?.provider === "dead" && parameters.length === 21 ? answer : null;
  });
  await plant.viewers("far").do("disconnect");
  const client = await clientNamed("arm/typescript");
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
  const { program } = plant.publisher("arm/typescript");
  const override = { type: "set_parameter_override", service, provider_id: client.id, parameter: "gain/3", enabled: true };
  expect(await script.ask({ ...override, value: "2.5" })).toMatchObject({ ok: true, enabled: true, value: "2.5" });
  expect(await program.do("value", "gain/3")).toBe(2.5);
  expect(await script.ask({ ...override, value: "11" })).toMatchObject({ ok: false });
  expect(await program.do("value", "gain/3")).toBe(2.5);
}

async function noSampleIsLost(): Promise<void> {
  const before = await allClients();
  const sent = new Map(plant.publishers.map((publisher) => [publisher.name, publisher.sent]));
  for (const place of PLACES) await plant.viewers(place).do("forget");
  plant.flow();
  await plant.fleet.killManager();
  await plant.untilHeard((publisher, place) => publisher.place === place);
  await plant.fleet.startManager();
  // Also between the hosts.
  await plant.untilHeard(() => true);
  await plant.stop();
  await truth.expectNoneLost(sent);
  script = await plant.fleet.connect();
  const after = await allClients();
  await truth.expect(script);
  const ids = before.map(({ id }) => Number(id));
  for (const { id } of after) expect(Number(id)).toBeGreaterThan(Math.max(...ids));
}

async function aKilledClientGoes(): Promise<void> {
  await script.snapshot();
  const { id } = await clientNamed("arm/python");
  const from = script.here;
  process.kill(pidOf(plant.publisher("arm/python").program).outside, "SIGKILL");
  await script.until("the client goes", (frame) => frame.type === "client_remove" && frame.id === id, from);
  await script.until("its topic goes", (frame) => frame.type === "topic_remove" && frame.name === "arm/python", from);
  await truth.expectEventsSent(script);
}

async function aUserPublishes(): Promise<void> {
  for (const place of PLACES) await plant.viewers(place).do("listen", "arm/goal");
  // Repeated: the hub may not yet know of the subscriptions.
  await eventually("both hosts hear the user", async () => {
    const answer = await script.ask({ type: "publish_topic", name: "arm/goal", value: { x: 0.5 } });
    expect(answer).toMatchObject({ ok: true });
    const values = await Promise.all(PLACES.map((place) => plant.viewers(place).do("value", "arm/goal")));
    if (values.includes(null)) return false;
    expect(values).toEqual([{ x: 0.5 }, { x: 0.5 }]);
    return true;
  });
  const refused = await script.ask({ type: "publish_topic", name: "arm/typescript", value: {} });
  expect(refused).toMatchObject({ ok: false, message: expect.stringContaining("client 'arm/typescript'") });
}

async function foreignIsShown(): Promise<void> {
  const foreign = await connectBus({ server: { kind: "unix", path: await plant.fleet.nats() }, name: "foreign" });
  try {
    await script.snapshot();
    const from = script.here;
    foreign.publish(subjectOfTopic("arm/typescript"), "{}");
    const isProblem = ({ type, topic }: Frame) =>
      type === "topic_upsert" && (topic as Row).name === "arm/typescript" && /nats-server itself/.test(String((topic as Row).problem));
    await script.until("the problem is shown", isProblem, from);
    const problems = await plant.fleet.mgr("log", "--json");
    expect(problems).toMatch(/topic 'arm\/typescript': also published by a client that is connected to the nats-server itself/);
  } finally {
    await foreign.close();
  }
}

/** Once the manager knows those of the plant, with the thermometer, and no others. */
async function allClients(): Promise<Row[]> {
  return eventually("the manager knows all clients", async () => {
    const rows = (await script.ask({ type: "request_clients" })).clients as Row[];
    return rows.length === plant.publishers.length + ALL_SUBSCRIBERS + 1 ? rows : null;
  });
}

async function clientNamed(name: string): Promise<Row> {
  const row = byKey((await script.ask({ type: "request_clients" })).clients, "name").get(name);
  if (!row) throw new Error(`the manager does not know the client '${name}'`);
  return row;
}
