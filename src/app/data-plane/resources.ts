import { topicOfSubject } from "../../base/topic-subject.ts";
import { subjectMatches } from "../../bus/broker/broker-subscriptions.ts";
import type { Client, Service, Topic } from "../../protocol/resources/resources.ts";
import type { KnownClient, KnownService, KnownTopic } from "./broker-tables.ts";
import { isWild } from "./subscriptions.ts";

/** Topics that a resource names for subscriptions with wildcards. */
const MAX_MATCHED_TOPICS = 1_000;

/** `topics`: subjects of all topics. */
export function clientResource({ id, broker, record }: KnownClient, { host, topics }: { host: string; topics: readonly string[] }): Client {
  const { connection, name, pid, address, library_version, svn_revision, modified, svc_debug, process_name } = record;
  const published = [...broker.topics.values()].filter((topic) => topic.record.connection === connection);
  const provided = [...broker.services.values()].filter((service) => service.record.connection === connection);
  return {
    id,
    name,
    pid,
    host,
    address,
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

/** Those that are named, whether they exist or not, and those that a wildcard matches now. */
function subscribedTopics(subscriptions: readonly string[], topics: readonly string[]): string[] {
  const wild = subscriptions.filter(isWild);
  const named = subscriptions.filter((subject) => !isWild(subject));
  const matched = wild.length === 0 ? [] : topics.filter((topic) => wild.some((pattern) => subjectMatches(pattern, topic)));
  const subjects = new Set([...named, ...matched.slice(0, MAX_MATCHED_TOPICS)]);
  return [...subjects].flatMap((subject) => topicOfSubject(subject) ?? []).sort();
}

export function topicResource(
  { broker, record }: KnownTopic,
  about: { publisher: KnownClient | undefined; host: string; subscribers: number; problem: string | null },
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
