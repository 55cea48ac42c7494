import type { Client } from "../../../protocol/resources/resources.ts";

type Names = ReadonlyMap<string, readonly string[]>;

interface Graph {
  readonly published: Names;
  readonly subscribed: Names;
  readonly services: Names;
}

const EMPTY: Graph = { published: new Map(), subscribed: new Map(), services: new Map() };

/** The clients of each topic and service, as updates for one viewer. */
export class ConnectionGraph {
  #sent = EMPTY;

  /** The difference to the graph that was sent last; null: there is none. */
  update(clients: readonly Client[]): object | null {
    const [before, now] = [this.#sent, graphOf(clients)];
    this.#sent = now;
    const isTopic = (name: string) => now.published.has(name) || now.subscribed.has(name);
    const topicsBefore = new Set([...before.published.keys(), ...before.subscribed.keys()]);
    const lists = {
      publishedTopics: changed(before.published, now.published, isTopic).map(([name, publisherIds]) => ({ name, publisherIds })),
      subscribedTopics: changed(before.subscribed, now.subscribed, isTopic).map(([name, subscriberIds]) => ({ name, subscriberIds })),
      advertisedServices: changed(before.services, now.services, () => false).map(([name, providerIds]) => ({ name, providerIds })),
      removedTopics: [...topicsBefore].filter((name) => !isTopic(name)),
      removedServices: [...before.services.keys()].filter((name) => !now.services.has(name)),
    };
    return Object.values(lists).every((list) => list.length === 0) ? null : { op: "connectionGraphUpdate", ...lists };
  }
}

function graphOf(clients: readonly Client[]): Graph {
  const of = (names: (client: Client) => readonly string[]): Names => {
    const found = new Map<string, string[]>();
    for (const client of clients) for (const name of names(client)) found.set(name, [...(found.get(name) ?? []), client.name]);
    return found;
  };
  return {
    published: of(({ published_topics }) => published_topics),
    subscribed: of(({ subscribed_topics }) => subscribed_topics),
    services: of(({ provided_services }) => provided_services),
  };
}

/** Entries that are new or others; an empty list for what is gone here, but is kept elsewhere. */
function changed(before: Names, now: Names, isKept: (name: string) => boolean): [string, readonly string[]][] {
  const gone = [...before.keys()].filter((name) => !now.has(name) && isKept(name)).map((name): [string, string[]] => [name, []]);
  const others = [...now].filter(([name, ids]) => before.get(name)?.join("\n") !== ids.join("\n"));
  return [...others, ...gone];
}
