import { didYouMean, didYouMeanName } from "../../../../base/text/suggest.ts";
import type { SubjectTrace } from "../../../../bus/broker/trace/subject-trace.ts";
import type { TopicRecord } from "../../../../contract/registry.ts";
import type { TopicLimit } from "../../wire/topic.ts";
import type { TraceStep } from "../../wire/topic-trace.ts";
import { type BrokerSpan, growth } from "./broker-readings.ts";

/** Messages that a broker must have sent within a measurement before it is a problem that none arrived at the next one. */
const MIN_SENT = 5;

/** A broker on the way. */
export interface TracedBroker {
  /** Canonical name of its host; null: the manager's broker, or a nats-server in its place. */
  readonly host: string | null;
  /** Counters of the broker; a text is the reason why they could not be read. */
  readonly span: BrokerSpan | string;
}

export interface TracedPublisher {
  readonly client: string;
  readonly host: string;
  readonly broker: TracedBroker;
  readonly record: Pick<TopicRecord, "definition" | "definition_name" | "definition_problem" | "encoding" | "keep_last" | "counters">;
  /** Why its messages are mixed or refused; null: they are not. */
  readonly conflict: string | null;
  readonly limits: readonly TopicLimit[];
}

export interface TracedSubscriber {
  readonly client: string;
  readonly host: string;
  readonly broker: TracedBroker;
  readonly connection: number;
  /** Topics that it subscribes to. */
  readonly topics: readonly string[];
}

/** The path of a topic from its publisher to its subscribers. */
export interface Way {
  readonly topic: string;
  readonly publisher: TracedPublisher | null;
  /** The subscriber in question; null: there is none. */
  readonly subscriber: TracedSubscriber | null;
  /** The name that was searched; null: any subscriber. */
  readonly to: string | null;
  /** The manager's broker; null: a nats-server carries what crosses hosts. */
  readonly hub: TracedBroker | null;
  /** Other topics, and clients, for suggestions. */
  readonly topics: readonly string[];
  /** Topics that clients subscribe to by name. */
  readonly subscribed: readonly string[];
  readonly clients: readonly string[];
  /** Hosts that do not answer. */
  readonly away: readonly string[];
}

type Problem = readonly [problem: string, advice: string] | null;

export const EMPTY_STEP: Omit<TraceStep, "kind" | "name" | "host"> = {
  messages: null,
  rate: null,
  last_age_ms: null,
  waiting: null,
  dropped: null,
  definition: null,
  note: null,
  problem: null,
  advice: null,
};

/** The steps from the publisher to the subscriber, each with what is wrong there. */
export function walk(way: Way): TraceStep[] {
  const { publisher, subscriber } = way;
  const first = publisher === null ? missingPublisher(way) : publisherStep(publisher);
  const brokers = publisher === null ? [] : brokerSteps(publisher.broker, subscriber?.broker ?? null, way.hub);
  return [first, ...brokers, subscriber === null ? missingSubscriber(way) : subscriberStep(way, subscriber)];
}

function step(kind: TraceStep["kind"], name: string, host: string | null, more: Partial<TraceStep>, problem: Problem): TraceStep {
  return { ...EMPTY_STEP, kind, name, host, ...more, problem: problem?.[0] ?? null, advice: problem?.[1] ?? null };
}

function missingPublisher({ topic, topics, away }: Way): TraceStep {
  const longer = topics.filter((name) => name.endsWith(`/${topic}`) || topic.endsWith(`/${name}`));
  const [other] = longer;
  const renamed = other === undefined ? didYouMeanName(topic, topics) : `; it may be renamed: '${other}' is published`;
  const hidden =
    away.length === 0 ? "" : `; ${away.map((host) => `'${host}'`).join(", ")} cannot be reached, and what is published there is not known`;
  const advice = "start the program that publishes it, or correct the name where it subscribes";
  return step("publisher", "-", null, {}, [`no client publishes '${topic}'${renamed}${hidden}`, advice]);
}

function publisherStep({ client, host, broker, record, conflict, limits }: TracedPublisher): TraceStep {
  const { definition_name, encoding, counters } = record;
  const span = typeof broker.span === "string" ? null : broker.span;
  const counted = span && growth(span, ({ published }) => published);
  const figures = {
    messages: counters.packets,
    rate: counted?.rate ?? null,
    last_age_ms: span?.quietMs ?? null,
    definition: definition_name === "" ? encoding : `${encoding}, ${definition_name}`,
  };
  return step("publisher", client, host, figures, publisherProblem());

  function publisherProblem(): Problem {
    if (conflict !== null) return [conflict, "let one program only publish it, under a name of its own"];
    if (span === null) return null;
    const isSilent = counted?.grown === 0 && (span.quietMs === null || span.quietMs >= span.seconds * 1_000);
    if (counters.packets === 0 && isSilent)
      return ["it is connected, but has published nothing so far", "see the output of the program: mgr logs"];
    // A kept message is given to each new subscriber.
    if (isSilent && !record.keep_last) {
      const since = span.quietMs === null ? "" : ` for ${Math.round(span.quietMs / 1_000)} s`;
      return [`it is connected, but has published nothing${since}`, "see the output of the program: mgr logs"];
    }
    if (record.definition_problem !== null)
      return [
        `its messages do not fit its definition, so they cannot be decoded: ${record.definition_problem}`,
        "register the definition that its messages have",
      ];
    const missed = limits.find(({ met }) => met === false);
    if (missed !== undefined)
      return [
        `it publishes, but not within its limits: ${missed.problem}`,
        "see the load of its host, and what limits the rate of the program",
      ];
    return null;
  }
}

function brokerSteps(from: TracedBroker, to: TracedBroker | null, hub: TracedBroker | null): TraceStep[] {
  const own = brokerStep(from, ({ published, received }) => published + received);
  if (to === null || to.host === from.host) return [own];
  const steps = [own];
  let last = from;
  if (from.host !== null) {
    const middle = hub ?? { host: null, span: "" };
    steps.push(linkStep(last, "hub", middle, from));
    if (hub !== null && to.host !== null) steps.push(brokerStep(hub, ({ received }) => received));
    last = middle;
  }
  // A nats-server does not count for us: the other end of the link is all that is known.
  if (to.host !== null)
    steps.push(
      linkStep(last, to.host, to, to),
      brokerStep(to, ({ received }) => received),
    );
  else if (hub !== null) steps.push(brokerStep(to, ({ received }) => received));
  return steps;
}

const nameOf = ({ host }: TracedBroker, isOurs = true): string => host ?? (isOurs ? "manager" : "nats-server");

function brokerStep(broker: TracedBroker, read: (trace: SubjectTrace) => number): TraceStep {
  const name = nameOf(broker);
  if (typeof broker.span === "string") return step("broker", name, broker.host, {}, unreachable(broker.host, broker.span));
  const { count, rate } = growth(broker.span, read);
  return step("broker", name, broker.host, { messages: count, rate }, null);
}

function unreachable(host: string | null, reason: string): Problem {
  const whose = host === null ? "the manager's broker" : `the broker of host '${host}'`;
  return [`${whose} could not be read: ${reason}`, "check the machine, its network and its daemon: mgr hosts"];
}

/** The link between two brokers. `leaf`: that end which has dialed it. `name`: the link's name at the sending end. */
function linkStep(from: TracedBroker, name: string, to: TracedBroker, leaf: TracedBroker): TraceStep {
  const ends = `${nameOf(from, from.span !== "")} → ${nameOf(to, to.span !== "")}`;
  const isUp = typeof leaf.span === "string" ? null : leaf.span.after.links.some((link) => link.name === "hub" && link.is_up);
  if (isUp === false)
    return step("link", ends, null, {}, [
      `the link of host '${leaf.host}' is cut`,
      "check the network between the hosts: mgr hosts, mgr net",
    ]);
  if (typeof from.span === "string") return step("link", ends, null, {}, null);
  const find = ({ links }: SubjectTrace) => linkNamed(links, name);
  const waiting = find(from.span.after)?.waiting ?? 0;
  const dropped = growth(from.span, (trace) => find(trace)?.dropped ?? 0);
  const sent = growth(from.span, ({ published, received }) => published + received);
  return step("link", ends, null, { waiting, dropped: dropped.count }, linkProblem());

  function linkProblem(): Problem {
    if (dropped.grown > 0)
      return [
        `the link is too slow: it lost ${dropped.grown} messages within the measurement`,
        "publish less or smaller messages, or give the topic a priority (docs/clients.md); mgr net shows the traffic",
      ];
    if (typeof to.span === "string") return null;
    const arrived = growth(to.span, ({ received }) => received);
    if (sent.grown >= MIN_SENT && arrived.grown === 0 && waiting > 0)
      return ["messages wait, and none crosses the link", "check the network between the hosts: mgr net"];
    return null;
  }
}

/** "hub", or the leaf of a host: the daemon of the manager's own machine has no user name. */
function linkNamed(links: SubjectTrace["links"], name: string) {
  const user = name === "hub" ? name : `host:${name}`;
  return links.find((link) => link.name === user) ?? links.find((link) => link.name === "");
}

function missingSubscriber({ topic, to, clients, subscribed }: Way): TraceStep {
  if (to !== null) {
    const advice = "start it; 'mgr topic info' lists the subscribers of a topic";
    return step("subscriber", to, null, {}, [`no client or process '${to}' is connected${didYouMean(to, clients)}`, advice]);
  }
  const near = didYouMeanName(topic, subscribed);
  return step("subscriber", "-", null, {}, [
    `no client subscribes to '${topic}'${near}`,
    "start the program that subscribes, or correct the name there",
  ]);
}

function subscriberStep({ topic, publisher }: Way, { client, host, broker, connection, topics }: TracedSubscriber): TraceStep {
  if (typeof broker.span === "string") return step("subscriber", client, host, {}, unreachable(broker.host, broker.span));
  const find = ({ subscribers }: SubjectTrace) => subscribers.find((each) => each.connection === connection);
  const now = find(broker.span.after);
  if (now === undefined) return step("subscriber", client, host, {}, notSubscribed(broker.span.after));
  const delivered = growth(broker.span, (trace) => find(trace)?.delivered ?? 0);
  const dropped = growth(broker.span, (trace) => find(trace)?.dropped ?? 0);
  const figures = { messages: delivered.count, rate: delivered.rate, waiting: now.waiting, dropped: now.dropped };
  return step("subscriber", client, host, figures, subscriberProblem(now.hidden));

  function notSubscribed({ refused }: SubjectTrace): Problem {
    if (refused.includes(connection))
      return [
        `its subscription to '${topic}' was refused: its user has no right to it`,
        "give the user a role on the process that publishes (docs/access.md)",
      ];
    return [`it does not subscribe to '${topic}'${didYouMeanName(topic, topics)}`, "correct the name in the program that subscribes"];
  }

  function subscriberProblem(isHidden: boolean): Problem {
    if (isHidden)
      return [
        "its subscription with a wildcard does not include this topic: its user has no right to it",
        "give the user a role on the process that publishes (docs/access.md)",
      ];
    if (dropped.grown > 0)
      return [
        `it reads too slowly: ${dropped.grown} messages for it were dropped within the measurement`,
        "let the program read faster, or subscribe to a slower topic; 'max_age' and 'priority' choose what is dropped (docs/clients.md)",
      ];
    const before =
      publisher === null || typeof publisher.broker.span === "string" ? null : growth(publisher.broker.span, ({ published }) => published);
    if (before !== null && before.grown >= MIN_SENT && delivered.grown === 0 && now !== undefined && now.waiting > 0)
      return ["it does not read: messages wait for it", "see whether the program hangs: mgr logs"];
    return null;
  }
}
