import type { HostSession } from "../../../app/hosts/host-session.ts";
import type { HostTable } from "../../../app/hosts/host-table.ts";
import type { Clock } from "../../../base/timing/clock.ts";
import type { Broker, Crossings } from "../../../bus/broker/broker.ts";
import type { AnswerCount } from "../../../bus/broker/leaf/answer-book.ts";
import type { PeerTrafficBook } from "../../../bus/carriers/peer-traffic.ts";
import type { DataPlaneTables } from "../../data-plane/manager/index.ts";
import type { NetworkRow } from "../contract.ts";
import { topicRows } from "../topic-rows.ts";
import { readHost } from "./host-readings.ts";
import { Counted, type Reading } from "./reading.ts";
import type { LinkBytes, Sample, Serving, TopicPlaces } from "./sample.ts";

/**
 * Period in which requests share a sample, milliseconds: a shorter one would mostly measure its own traffic. It is less than the shortest
 * measurement.
 */
const SHARED_MS = 80;

/** Prefix of the user name of a host's daemon; the name of the host follows. */
const HOST_USER = "host:";

export interface SamplerOptions {
  readonly clock: Clock;
  readonly hosts: HostTable;
  readonly tables: DataPlaneTables;
  /** The manager's own broker; null: there is none. */
  readonly hub: { readonly broker: Pick<Broker, "crossings"> } | null;
  /** The manager's own connections; null: it has none. */
  readonly peers: Pick<PeerTrafficBook, "totals"> | null;
}

/** Takes samples of all hosts on request, and keeps the last two. */
export class Sampler {
  readonly #options: SamplerOptions;
  #newest: Promise<Sample> | null = null;
  #last: Sample | null = null;
  #before: Sample | null = null;

  constructor(options: SamplerOptions) {
    this.#options = options;
  }

  /** Takes a sample as of now. A sample under way, or younger than SHARED_MS, is shared. */
  sample(): Promise<Sample> {
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
    const first = await this.#round(() => true, true);
    // Publishers, subscribers and services are read between the two readings of the counters.
    const at = clock.monotonic();
    const topics = topicPlaces(tables);
    const services = serving(tables);
    const peerTotals = peers?.totals() ?? [];
    const forwards = new Map([...hosts.keys()].map((host) => [host, hosts.session(host)?.forwards ?? []]));
    const links = this.#links();
    const hubFirst = this.#readHub(services);
    const receivers = new Set([...topics.values()].flatMap(({ subscribers }) => subscribers.map(({ broker }) => broker)));
    // A host that has not sent its first request yet counts nothing: if there are services, all hosts are read again.
    const isNeeded = (host: string) => services.length > 0 || receivers.has(host) || first.found.get(host)?.counted.hasMessages === true;
    const again = await this.#round(isNeeded, false);
    const hubSecond = this.#readHub(services);
    const readings = new Map<string, Reading>();
    for (const [host, { life, counted }] of first.found) {
      if (!again.asked.has(host)) readings.set(host, { life, first: counted, second: counted });
      const later = again.found.get(host);
      if (later?.life === life) readings.set(host, { life, first: counted, second: later.counted });
    }
    const hub = hubFirst && hubSecond && { life: "hub", first: hubFirst, second: hubSecond };
    const sample: Sample = { at, hosts: readings, hub, topics, services, links, forwards, peers: peerTotals };
    this.#before = this.#last;
    this.#last = sample;
    return sample;
  }

  /** Requests counters from the connected hosts that are needed. `interfaces`: also those of the kernel and of connections. */
  async #round(isNeeded: (host: string) => boolean, interfaces: boolean) {
    const { hosts } = this.#options;
    const asked = new Set<string>();
    const found = new Map<string, { life: string; counted: Counted }>();
    const ask = async (session: HostSession) => {
      const { host } = session.link;
      asked.add(host);
      const life = session.streamId ?? "";
      try {
        found.set(host, { life, counted: await readHost(session, interfaces) });
      } catch {
        // A host that does not answer has no part in this sample.
      }
    };
    await Promise.all(
      [...hosts.values()].flatMap(({ controller: { session } }) => (session.isOpen && isNeeded(session.link.host) ? ask(session) : [])),
    );
    return { asked, found };
  }

  #links(): Map<string, LinkBytes> {
    const links = this.#options.hub?.broker.crossings().links ?? [];
    return new Map(links.flatMap((link) => (link.name.startsWith(HOST_USER) ? [[link.name.slice(HOST_USER.length), link]] : [])));
  }

  #readHub(services: readonly Serving[]): Counted | null {
    const { hub, clock } = this.#options;
    if (hub === null) return null;
    const { subjects, waiting, answers } = hub.broker.crossings();
    return new Counted(clock.monotonic(), [...topicRows({ subjects, waiting }), ...ownRequests(services, subjects, new Map(answers))]);
  }
}

/** Requests of the hub's own clients, including the manager, and the answers to them; messages that it relays for others are not its own. */
function* ownRequests(
  services: readonly Serving[],
  subjects: Crossings["subjects"],
  answers: ReadonlyMap<string, AnswerCount>,
): Generator<NetworkRow> {
  for (const subject of new Set(services.flatMap((service) => service.subjects))) {
    const asked = subjects.get(subject);
    if (asked !== undefined)
      yield { kind: "crossing", subject, msgs: asked.msgs - asked.foreign.msgs, bytes: asked.bytes - asked.foreign.bytes };
    const answered = answers.get(subject);
    if (answered === undefined) continue;
    const { received, given } = answered;
    yield { kind: "answers", subject, msgs: Math.max(0, received.msgs - given.msgs), bytes: Math.max(0, received.bytes - given.bytes) };
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
