import { topicOfSubject } from "../../../base/topics/topic-subject.ts";
import { subjectMatches } from "../../../bus/broker/broker-subscriptions.ts";
import { targetText } from "../../../bus/streams/target-counts.ts";
import type { Client } from "../../../protocol/resources/resources.ts";
import type { Service } from "../wire/service.ts";
import type { Topic, TopicLimit } from "../wire/topic.ts";
import type { KnownClient, KnownService, KnownTopic } from "./broker-tables.ts";
import { isWild } from "./topics/subscriptions.ts";

/** Maximum number of topics that a resource names for subscriptions with wildcards. */
const MAX_MATCHED_TOPICS = 1_000;

interface About {
  readonly host: string;
  /** IP address of the host, as the manager sees it. */
  readonly hostAddress: string;
  /** Subjects of all topics. */
  readonly topics: readonly string[];
}

export function clientResource({ id, broker, record }: KnownClient, { host, hostAddress, topics }: About): Client {
  const { connection, name, pid, address, library_version, svn_revision, modified, svc_debug, process_name } = record;
  const published = [...broker.topics.values()].filter((topic) => topic.record.connection === connection);
  const provided = [...broker.services.values()].filter((service) => service.record.connection === connection);
  return {
    id,
    name,
    pid,
    host,
    address: addressFromHere(address, hostAddress),
    library_version,
    svn_revision,
    modified,
    svc_debug,
    process_name,
    published_topics: published.map((topic) => topic.record.name).sort(),
    subscribed_topics: subscribedTopics(record.subscriptions, topics),
    provided_services: [...new Set(provided.map((service) => service.record.name))].sort(),
  };
}

/** The client's address as seen by the manager. Programs connect to their host's broker over loopback, or over a unix socket, whose port is 0. */
function addressFromHere(address: string, hostAddress: string): string {
  const isOwn = address === "" || /^(127\.|\[?::1\b)/.test(address);
  return isOwn ? targetText(hostAddress, Number(/:(\d+)$/.exec(address)?.[1] ?? 0)) : address;
}

/** Topics that are subscribed by name, whether they exist or not, and those that a wildcard matches now. */
function subscribedTopics(subscriptions: readonly string[], topics: readonly string[]): string[] {
  const wild = subscriptions.filter(isWild);
  const named = subscriptions.filter((subject) => !isWild(subject));
  const matched = wild.length === 0 ? [] : topics.filter((topic) => wild.some((pattern) => subjectMatches(pattern, topic)));
  const subjects = new Set([...named, ...matched.slice(0, MAX_MATCHED_TOPICS)]);
  return [...subjects].flatMap((subject) => topicOfSubject(subject) ?? []).sort();
}

export function topicResource(
  { broker, record }: KnownTopic,
  about: {
    publisher: KnownClient | undefined;
    host: string;
    subscribers: number;
    problem: string | null;
    limits: TopicLimit[];
  },
): Topic {
  const { counters } = record;
  return {
    name: record.name,
    publisher: about.publisher?.record.name ?? "",
    publisher_host: about.host,
    subscribers: about.subscribers,
    publisher_rate: broker.isReachable ? counters.rate : 0,
    published_packets: counters.packets,
    message_definition: record.definition_name,
    message_size: counters.last_size,
    dropped_packets: counters.dropped,
    problem: about.problem ?? (record.definition_problem === null ? null : `its messages cannot be decoded: ${record.definition_problem}`),
    limits: about.limits,
  };
}

export function serviceResource({ record }: KnownService, host: string): Service {
  return {
    name: record.name,
    interface: record.interface,
    provider: record.provider,
    provider_host: host,
    port: record.port,
    unix_socket: record.unix_socket,
  };
}
