import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";
import { subjectOfTopic } from "../../../src/base/topics/topic-subject.ts";
import { Flow } from "../network/rate-bounds.ts";
import type { Client } from "../support/client.ts";
import { eventually } from "../support/wait.ts";
import { ALL_SUBSCRIBERS, definitionOf, PLACES, type Plant, type Publisher, pidOf } from "./plant.ts";
import { addressesOf, byKey, FollowedTables, type Row } from "./rig.ts";

export const SHAPE = {
  name: "demo.MoveTo",
  endpoints: { call: { request: { type: "object" }, response: {}, description: "Moves the arm" } },
};

/** What is true of a plant, for every client of the manager. */
export class Truth {
  readonly #plant: Plant;
  /** Canonical name of the manager's host. */
  readonly #local: string;
  readonly #thermometerPid: number;

  constructor(plant: Plant, { local, thermometerPid }: { local: string; thermometerPid: number }) {
    this.#plant = plant;
    this.#local = local;
    this.#thermometerPid = thermometerPid;
  }

  /** Once nothing is published any more, except by the thermometer. */
  async expect(client: Client): Promise<void> {
    const { publishers } = this.#plant;
    const [topics, newest] = await eventually("the counters are those of the publishers", async () => {
      const rows = byKey((await client.ask({ type: "request_topics" })).topics, "name");
      const found = (await this.#plant.viewers("far").do("newest")) as Record<string, { seq: number; size: number }>;
      const isSettled = ({ name, sent }: Publisher) => {
        const row = rows.get(name);
        const isCounted = row?.published_packets === sent && row.publisher_rate === 0 && row.subscribers === ALL_SUBSCRIBERS;
        return isCounted && found[subjectOfTopic(name)]?.seq === sent;
      };
      return publishers.every(isSettled) ? ([rows, found] as const) : null;
    });
    for (const { name, language, place, sent, program } of publishers) {
      const about = { name, publisher: name, publisher_host: this.#host(place), problem: null };
      const counted = { published_packets: sent, publisher_rate: 0, subscribers: ALL_SUBSCRIBERS, dropped_packets: 0 };
      const message = { message_definition: `demo.${language}`, message_size: newest[subjectOfTopic(name)]?.size };
      expect(topics.get(name)).toEqual({ ...about, ...counted, ...message, limits: [] });
      expect(await program.do("counters")).toMatchObject({ sent, unsent: 0 });
    }
    await this.#expectServices(client);
    const clients = (await client.ask({ type: "request_clients" })).clients as Row[];
    this.#expectClients(clients);
    for (const publisher of publishers) await this.#expectDetail(client, publisher, clients);
  }

  /** Each rate that events show from `from` on is within 2 % of what the publisher's messages say. */
  async expectRates(client: Client, from: number): Promise<void> {
    for (const { name, place } of this.#plant.publishers) {
      let compared = 0;
      // Events of more than two seconds; more, where it is not sure that so much time has passed.
      for (let events = 6; compared === 0; events += 4) {
        const shown = await untilShown(client, { from, name, events });
        const flow = new Flow((await this.#plant.viewers(place).do("times", name)) as number[]);
        // A rate is measured from an event or later, if that is a second older.
        const earliest = shown[0]?.packets ?? 0;
        const full = shown.filter(({ packets }) => flow.spansSecond(earliest, packets));
        expect(full.filter(({ rate, packets }) => !flow.hasRate(rate, earliest, packets))).toEqual([]);
        compared = full.length;
      }
    }
  }

  /** A script that heard only events after its snapshot knows what the manager answers. */
  async expectEventsSent(client: Client): Promise<void> {
    await eventually("events tell what the tables say", async () => {
      const { clients } = await client.ask({ type: "request_clients" });
      const { topics } = await client.ask({ type: "request_topics" });
      const { services } = await client.ask({ type: "request_services" });
      const received = new FollowedTables(client.frames);
      const isSame = (rows: unknown, table: ReadonlyMap<unknown, Row>, key: string) =>
        isDeepStrictEqual([...byKey(rows, key)].sort(byFirst), [...table].sort(byFirst));
      return (
        isSame(clients, received.clients, "id") && isSame(topics, received.topics, "name") && isSame(services, received.services, "name")
      );
    });
  }

  /** Programs of one host have every message of each other; `before`: how many each had published before they began to count. */
  async expectNoneLost(before: ReadonlyMap<string, number>): Promise<void> {
    for (const { name, place, sent } of this.#plant.publishers) {
      const begin = before.get(name) ?? 0;
      const all = { first: begin + 1, last: sent, count: sent - begin, gaps: [] };
      const heard = await eventually(`the last sample of '${name}'`, async () => {
        const found = Object.entries(await this.#plant.heard(place)).map(([viewer, topics]) => [viewer, topics[name]] as const);
        return found.every(([, topic]) => topic?.last === sent) ? found : null;
      });
      expect(heard).toEqual(this.#plant.viewerNames(place).map((viewer) => [viewer, all]));
    }
  }

  async #expectServices(client: Client): Promise<void> {
    const names = ["arm/move_to", "arm/typescript/parameters", "room/calibrate", "room/thermometer/parameters"];
    // They are asked for their names after they have appeared.
    const services = await eventually("all services have told what they are", async () => {
      const rows = byKey((await client.ask({ type: "request_services" })).services, "name");
      return isDeepStrictEqual([...rows.keys()].sort(), names) ? rows : null;
    });
    for (const [name, service] of services) {
      const provider = String(name).startsWith("arm/") ? "arm/typescript" : "room/thermometer";
      const place = { provider_host: this.#local, port: this.#plant.portOf("here"), unix_socket: null };
      expect(service).toEqual({ name, interface: service.interface, provider, ...place });
    }
    expect(JSON.parse(String(services.get("arm/move_to")?.interface))).toEqual(SHAPE);
  }

  #expectClients(clients: readonly Row[]): void {
    const { publishers, topics } = this.#plant;
    const common = { id: expect.any(Number), svn_revision: 0, modified: false, svc_debug: false, process_name: "", published_topics: [] };
    const subscribed_topics = topics.toSorted();
    const expected: Row[] = publishers.map(({ name, place, isComplete, program }) => {
      const { outside, inside } = pidOf(program);
      const provided_services = name === "arm/typescript" ? ["arm/move_to", "arm/typescript/parameters"] : [];
      const about = { svc_debug: isComplete, published_topics: [name], subscribed_topics: [], provided_services };
      const [local = ""] = addressesOf(outside, this.#plant.portOf(place));
      // Clients of another machine have its address, where the manager knows it: not behind a nats-server.
      const address = place === "far" ? expect.stringMatching(new RegExp(`^(127\\.0\\.0\\.1|10\\.77\\.0\\.2):${portOf(local)}$`)) : local;
      return { ...common, name, pid: inside, host: this.#host(place), address, library_version: 1, ...about };
    });
    for (const place of PLACES)
      for (const name of this.#plant.viewerNames(place)) {
        const about = { pid: pidOf(this.#plant.viewers(place)).inside, host: this.#host(place), address: expect.any(String) };
        expected.push({ ...common, name, ...about, library_version: 1, subscribed_topics, provided_services: [] });
      }
    const plain = { name: "plain", pid: 0, host: "far", address: expect.any(String), library_version: 0 };
    expected.push({ ...common, ...plain, subscribed_topics, provided_services: [] });
    const pid = this.#thermometerPid;
    expected.push({
      ...common,
      ...{ name: "room/thermometer", process_name: "plant/thermometer", pid, host: this.#local, library_version: 1 },
      address: addressesOf(pid, this.#plant.portOf("here")).join(),
      ...{ published_topics: ["room/temperature"], subscribed_topics: [] },
      provided_services: ["room/calibrate", "room/thermometer/parameters"],
    });
    const byName = (rows: readonly Row[]) => rows.toSorted((a, b) => String(a.name).localeCompare(String(b.name)));
    expect(byName(clients)).toEqual(byName(expected));
    // Those of a program with several connections.
    for (const place of PLACES) {
      const shown = clients.filter(({ host, name }) => host === this.#host(place) && /^(viewer\/|plain$)/.test(String(name)));
      const { outside } = pidOf(this.#plant.viewers(place));
      const ports = (addresses: readonly unknown[]) => addresses.map((address) => portOf(String(address))).sort();
      expect(ports(shown.map(({ address }) => address))).toEqual(ports(addressesOf(outside, this.#plant.portOf(place))));
    }
  }

  async #expectDetail(client: Client, { name, language }: Publisher, clients: readonly Row[]): Promise<void> {
    const shown = (row: Row | undefined) => ({ client_id: row?.id, client: row?.name, host: row?.host });
    const detail = await client.ask({ type: "request_topic_detail", name });
    expect(detail).toMatchObject({ definition: definitionOf(language), encoding: "json" });
    expect(detail.publisher).toEqual(shown(clients.find((row) => row.name === name)));
    const subscribers = clients.filter((row) => (row.subscribed_topics as string[]).includes(name)).map(shown);
    const byId = (rows: readonly { client_id?: unknown }[]) => rows.toSorted((a, b) => Number(a.client_id) - Number(b.client_id));
    expect(byId(detail.subscribers as Row[])).toEqual(byId(subscribers));
  }

  #host(place: "here" | "far"): string {
    return place === "here" ? this.#local : "far";
  }
}

const byFirst = ([a]: [unknown, Row], [b]: [unknown, Row]) => String(a).localeCompare(String(b));

/** What events have shown of a topic once there are so many. */
async function untilShown(client: Client, { from, name, events }: { from: number; name: string; events: number }) {
  const shown: { rate: number; packets: number }[] = [];
  await client.until(
    `${events} events of '${name}'`,
    ({ type, topic }) => {
      const row = topic as Row;
      if (type !== "topic_upsert" || row.name !== name || Number(row.published_packets) === 0) return false;
      return shown.push({ rate: Number(row.publisher_rate), packets: Number(row.published_packets) }) === events;
    },
    from,
  );
  return shown;
}

function portOf(address: string): string {
  return address.slice(address.lastIndexOf(":") + 1);
}
