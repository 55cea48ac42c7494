import { z } from "zod";
import type { HandedOver } from "../../../base/handed-over.ts";
import type { Registry } from "../../../bus/registry/registry.ts";
import type { RequestOf, ResponseOf } from "../../../contract/messages.ts";
import type { RegistryChange } from "../../../contract/registry.ts";
import type { ListPages } from "../../../daemon/lists/list-pages.ts";
import type { DataPlaneEvent } from "../contract.ts";

/** Maximum size of the changes in one message, characters of JSON; a larger change has its own message. */
const MAX_EVENT_CHARS = 128 * 1024;

interface RegistryReportOptions {
  readonly pages: ListPages;
  readonly send: (event: DataPlaneEvent) => void;
  /** State of the report of the program that this one replaces. */
  readonly taken?: HandedOver | undefined;
}

/** The tables themselves are those of the broker. */
const reportState = z.object({ seq: z.int().min(0) });

/** Reports the clients, topics and services of a host's broker to the manager: numbered changes, and the whole tables on request. */
export class RegistryReport {
  /** Number of the last event. */
  seq: number;
  readonly #registry: Registry;
  readonly #send: RegistryReportOptions["send"];
  readonly #pages: ListPages;
  readonly #unsubscribe: () => void;

  constructor(registry: Registry, { pages, send, taken }: RegistryReportOptions) {
    this.seq = reportState.safeParse(taken?.state).data?.seq ?? 0;
    this.#registry = registry;
    this.#send = send;
    this.#pages = pages;
    this.#unsubscribe = registry.listen((changes) => this.#sendChanges(changes));
  }

  list(): ResponseOf<"data_plane"> {
    // Pending changes are sent first, so that changes after the list are newer than it.
    this.#registry.flush();
    const { clients, topics, services } = this.#registry.tables();
    const rows: RegistryChange[] = [
      ...clients.map((client) => ({ kind: "client" as const, client })),
      ...topics.map((topic) => ({ kind: "topic" as const, topic })),
      ...services.map((service) => ({ kind: "service" as const, service })),
    ];
    return { ...this.#pages.of(rows), seq: this.seq };
  }

  loseTopics(topics: RequestOf<"lose_topics">["topics"]): void {
    this.#registry.loseTopics(new Map(topics.map(({ subject, message }) => [subject, message])));
  }

  /** Hands over the number of the last event: the manager expects higher ones. */
  handOver(): HandedOver {
    return { state: { seq: this.seq } satisfies z.infer<typeof reportState>, descriptors: {}, bytes: {} };
  }

  close(): void {
    this.#unsubscribe();
  }

  #sendChanges(changes: readonly RegistryChange[]): void {
    let batch: RegistryChange[] = [];
    let chars = 0;
    const send = () => {
      if (batch.length > 0) this.#send({ seq: ++this.seq, changes: batch });
      batch = [];
      chars = 0;
    };
    for (const change of changes) {
      const size = JSON.stringify(change).length;
      if (chars + size > MAX_EVENT_CHARS) send();
      batch.push(change);
      chars += size;
    }
    send();
  }
}
