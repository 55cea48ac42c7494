import fc from "fast-check";
import { expect, it } from "vitest";
import { type DomainEvent, DomainEvents } from "../../../../src/actors/domain-events.ts";
import type { Grant } from "../../../../src/base/access/access.ts";
import type { ClientRecord, RegistryChange, ServiceRecord, TopicRecord } from "../../../../src/contract/registry.ts";
import { ClientIds } from "../../../../src/features/data-plane/manager/client-ids.ts";
import { DataPlaneTables } from "../../../../src/features/data-plane/manager/data-plane-tables.ts";
import { LogBook } from "../../../../src/log/log-book.ts";
import type { ChangeFrame } from "../../../../src/protocol/frames/frames.ts";

const GRANTS: readonly Grant[] = [{ role: "viewer", on: ["sim/*"] }];
const PROCESSES = ["sim/world", "sim/arm", "vault/keyring", ""];
const TOPICS = ["pose", "gold", "raw"];
const HOSTS = [null, "one", "two"];

const clientRecord = (connection: number, process_name: string, subscriptions: string[]): ClientRecord => ({
  connection,
  name: `client ${process_name}`,
  pid: 1,
  address: "127.0.0.1:1",
  library_version: 0,
  svn_revision: 0,
  modified: false,
  svc_debug: false,
  registered: true,
  run_id: null,
  process_name,
  subscriptions,
});
const topicRecord = (name: string, connection: number, others: string[], foreign: boolean): TopicRecord => ({
  subject: `topic.${name}`,
  name,
  connection,
  reserved: others.length === 0,
  definition: "",
  definition_name: "",
  encoding: "raw",
  keep_last: false,
  priority: 0,
  max_age_ms: null,
  reliable_within: null,
  definition_problem: null,
  lost: false,
  others,
  foreign,
  counters: { at: 0, packets: 0, bytes: 0, last_size: 0, dropped: 0, kept_dropped: 0, rate: 0, bytes_rate: 0 },
});
const serviceRecord = (connection: number, name: string): ServiceRecord => ({
  connection,
  id: `${name} ${connection}`,
  name,
  interface: "",
  provider: "",
  port: 1,
  unix_socket: null,
  endpoints: [{ name: "call", subject: `svc.${name}` }],
});

const connection = fc.nat(3);
const topic = fc.constantFrom(...TOPICS);
const change: fc.Arbitrary<RegistryChange> = fc.oneof(
  fc
    .tuple(
      connection,
      fc.constantFrom(...PROCESSES),
      fc.uniqueArray(fc.constantFrom("topic.pose", "topic.gold", "topic.>", "topic.nothing")),
    )
    .map(([id, process, subjects]) => ({ kind: "client" as const, client: clientRecord(id, process, subjects) })),
  connection.map((id) => ({ kind: "client_gone" as const, connection: id })),
  fc
    .tuple(topic, connection, fc.uniqueArray(fc.constantFrom(...PROCESSES), { maxLength: 1 }), fc.boolean())
    .map(([name, id, others, foreign]) => ({ kind: "topic" as const, topic: topicRecord(name, id, others, foreign && others.length > 0) })),
  topic.map((name) => ({ kind: "topic_gone" as const, subject: `topic.${name}` })),
  fc
    .tuple(connection, fc.constantFrom("mover", "shared"))
    .map(([id, name]) => ({ kind: "service" as const, service: serviceRecord(id, name) })),
  fc
    .tuple(connection, fc.constantFrom("mover", "shared"))
    .map(([id, name]) => ({ kind: "service_gone" as const, connection: id, id: `${name} ${id}` })),
);

/** What a client knows that applies the events which it is sent. */
class Mirror {
  readonly clients = new Map<number, object>();
  readonly topics = new Map<string, object>();
  readonly services = new Map<string, object>();

  apply(event: ChangeFrame): void {
    if (event.type === "client_upsert") this.clients.set(event.client.id, event.client);
    else if (event.type === "client_remove") expect(this.clients.delete(event.id)).toBe(true);
    else if (event.type === "topic_upsert") this.topics.set(event.topic.name, event.topic);
    else if (event.type === "topic_remove") expect(this.topics.delete(event.name)).toBe(true);
    else if (event.type === "service_upsert") this.services.set(event.service.name, event.service);
    else if (event.type === "service_remove") expect(this.services.delete(event.name)).toBe(true);
  }

  get lists() {
    const byKey = <K extends string | number>(map: Map<K, object>) =>
      [...map].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);
    return { clients: byKey(this.clients), topics: byKey(this.topics), services: byKey(this.services) };
  }
}

const isChange = (event: DomainEvent): event is ChangeFrame => !/^(process_step|process_transition|tree_changed)$/.test(event.type);

it("the events that a user of sim/* is sent add up to the lists that the user may see, whatever changes on the bus", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.constantFrom(...HOSTS), fc.array(change, { minLength: 1, maxLength: 3 })), { maxLength: 25 }),
      async (steps) => {
        const fail = (error: unknown) => {
          throw error;
        };
        const events = new DomainEvents(fail);
        const tables = new DataPlaneTables({
          ids: ClientIds.inMemory(),
          events,
          log: new LogBook({ capacity: 10, now: () => 0 }),
          hostOfAddress: () => "one",
          addressOfHost: () => "127.0.0.1",
          lose: () => {},
        });
        const [restricted, whole] = [new Mirror(), new Mirror()];
        events.subscribe((event) => {
          if (!isChange(event)) return;
          whole.apply(event);
          for (const shown of tables.changeFor(event, GRANTS)) restricted.apply(shown);
        });
        for (const [host, changes] of steps) {
          tables.apply(host, changes);
          const byId = <T extends { id: number }>(clients: T[]) => clients.sort((a, b) => a.id - b.id);
          const byName = <T extends { name: string }>(list: T[]) => list.sort((a, b) => (a.name < b.name ? -1 : 1));
          for (const [mirror, grants] of [
            [restricted, GRANTS],
            [whole, null],
          ] as const)
            expect(mirror.lists).toEqual({
              clients: byId(tables.clients(grants)),
              topics: byName(tables.topics(grants)),
              services: byName(tables.services(grants)),
            });
          expect(JSON.stringify(restricted.lists)).not.toContain("vault");
        }
      },
    ),
    { numRuns: 200 },
  );
});
