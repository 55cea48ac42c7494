import type { Clock } from "../../base/clock.ts";
import type { Broker } from "../../bus/broker/broker.ts";
import { topicRows } from "../../bus/broker/topic-rows.ts";
import type { PeerTrafficBook } from "../../bus/carriers/peer-traffic.ts";
import type { DataPlaneTables } from "../data-plane/data-plane-tables.ts";
import type { HostSession } from "../hosts/host-session.ts";
import type { HostTable } from "../hosts/host-table.ts";
import { isTooOld, readHost } from "./host-readings.ts";
import { Counted, type Reading } from "./reading.ts";
import type { ForwardCount, Sample, Serving, TopicPlaces } from "./sample.ts";

/** Requests within this time share a sample: a shorter time would measure little but itself, milliseconds. */
const SHARED_MS = 200;

export interface SamplerOptions {
  readonly clock: Clock;
  readonly hosts: HostTable;
  readonly tables: DataPlaneTables;
  /** The manager's own broker; null: there is none. */
  readonly hub: { readonly broker: Pick<Broker, "crossings"> } | null;
  /** The manager's own connections; null: it has none. */
  readonly peers: PeerTrafficBook | null;
}

/** Takes samples of all hosts when they are asked for, and keeps the last two. */
export class Sampler {
  readonly #options: SamplerOptions;
  /** Hosts whose daemons cannot count. */
  readonly silent = new Set<string>();
  #newest: Promise<Sample> | null = null;
  #last: Sample | null = null;
  #before: Sample | null = null;

  constructor(options: SamplerOptions) {
    this.#options = options;
  }

  /** As of now; one that is being taken, or is young, is shared. */
  take(): Promise<Sample> {
    const isYoung = this.#last !== null && this.#options.clock.monotonic() - this.#last.at < SHARED_MS;
    if (this.#newest !== null) return this.#newest;
    if (isYoung && this.#last !== null) return Promise.resolve(this.#last);
    const sample = this.#read();
    this.#newest = sample;
    const forget = () => {
      this.#newest = null;
    };
    sample.then(forget, forget);
    return sample;
  }

  /** The last sample before `sample`, if there is one. */
  previousOf(sample: Sample): Sample | null {
    return sample === this.#last ? this.#before : this.#last;
  }

  async #read(): Promise<Sample> {
    const { clock, tables, peers, hosts } = this.#options;
    const first = await this.#round(false);
    // Between the two readings of the counters: who takes part is known as of now.
    const topics = topicPlaces(tables);
    const services = serving(tables);
    const hubFirst = this.#readHub();
    const second = await this.#round(true);
    const hubSecond = this.#readHub();
    const readings = new Map<string, Reading>();
    for (const [host, { life, counted }] of second) {
      const earlier = first.get(host);
      if (earlier?.life === life) readings.set(host, { life, first: earlier.counted, second: counted });
    }
    const hub = hubFirst && hubSecond && { life: "hub", first: hubFirst, second: hubSecond };
    const forwards = new Map<string, ForwardCount[]>();
    for (const host of hosts.keys()) forwards.set(host, hosts.session(host)?.forwards ?? []);
    const sample: Sample = { at: clock.monotonic(), hosts: readings, hub, topics, services, forwards, peers: peers?.totals() ?? [] };
    this.#before = this.#last;
    this.#last = sample;
    return sample;
  }

  async #round(interfaces: boolean): Promise<Map<string, { life: string; counted: Counted }>> {
    const { hosts } = this.#options;
    const found = new Map<string, { life: string; counted: Counted }>();
    const ask = async (session: HostSession) => {
      const { host } = session.link;
      const life = session.streamId ?? "";
      try {
        found.set(host, { life, counted: await readHost(session, interfaces) });
        this.silent.delete(host);
      } catch (error) {
        // Without an answer the host has no part in this sample.
        if (isTooOld(error)) this.silent.add(host);
      }
    };
    await Promise.all([...hosts.values()].flatMap(({ controller: { session } }) => (session.isOpen ? ask(session) : [])));
    for (const host of this.silent) if (!hosts.has(host)) this.silent.delete(host);
    return found;
  }

  #readHub(): Counted | null {
    const { hub, clock } = this.#options;
    if (hub === null) return null;
    return new Counted(clock.monotonic(), topicRows(hub.broker.crossings().subjects));
  }
}

function topicPlaces(tables: DataPlaneTables): Map<string, TopicPlaces> {
  const places = new Map<string, TopicPlaces>();
  for (const subject of tables.subjects()) {
    const subscribers = tables.subscribers(subject).map((client) => ({ host: tables.hostOf(client), broker: client.broker.host }));
    const { resource, publisher } = tables.topic(subject) ?? {};
    if (resource === undefined || subscribers.length === 0) continue;
    const hubPublisher = publisher !== undefined && publisher.broker.host === null ? tables.hostOf(publisher) : null;
    places.set(subject, { topic: resource.name, hubPublisher, subscribers });
  }
  return places;
}

function serving(tables: DataPlaneTables): Serving[] {
  return tables.allInstances().flatMap(({ broker, record: { name, endpoints } }) => {
    return broker.host === null ? [] : [{ service: name, broker: broker.host, subjects: endpoints.map(({ subject }) => subject) }];
  });
}
