import { batch, signal } from "@preact/signals";
import type { Service } from "../../../../src/features/data-plane/wire/service.ts";
import type { Topic } from "../../../../src/features/data-plane/wire/topic.ts";
import type { ManagerFrame } from "../../../../src/protocol/frames/frames.ts";
import type { Client } from "../../../../src/protocol/resources/resources.ts";
import { inOrder, withItem } from "../../state/items.ts";
import { drawnWithNextFrame } from "../../state/painting.ts";
import { frames$ } from "../../state/store.ts";

/** Topics, services and clients on the bus, as the manager reports them. */
export const topics = signal<readonly Topic[]>([]);
export const services = signal<readonly Service[]>([]);
export const clients = signal<readonly Client[]>([]);

/** The processes that provide a service; null: also a program does that is no process. */
export function ownersOfService(service: string): readonly string[] | null {
  return ownersOf(clients.value.filter(({ provided_services }) => provided_services.includes(service)));
}

/** The process of a client; null: it is none. */
export function ownersOfClient(id: number): readonly string[] | null {
  return ownersOf(clients.value.filter((client) => client.id === id));
}

function ownersOf(found: readonly Client[]): readonly string[] | null {
  const names = found.map(({ process_name }) => process_name);
  return names.length === 0 || names.includes("") ? null : names;
}

/** Rates of each topic in the last minute, one value per second, the newest last. */
export const rates = new Map<string, number[]>();
const RATES = 60;
const SECOND_MS = 1_000;

/** Follows the manager's frames, at most two a second for a topic. Must be called before the first one arrives. */
export function followBus(): void {
  frames$.subscribe((frame) => drawnWithNextFrame(() => batch(() => receive(frame))));
  setInterval(noteRates, SECOND_MS);
}

function receive(frame: ManagerFrame): void {
  switch (frame.type) {
    case "snapshot":
      topics.value = inOrder(frame.topics);
      services.value = inOrder(frame.services);
      clients.value = inOrder(frame.clients);
      return;
    case "topic_upsert":
      topics.value = withItem(topics.peek(), frame.topic, ({ name }) => name);
      return;
    case "topic_remove":
      topics.value = topics.peek().filter(({ name }) => name !== frame.name);
      rates.delete(frame.name);
      return;
    case "services_snapshot":
      services.value = inOrder(frame.services);
      return;
    case "service_upsert":
      services.value = withItem(services.peek(), frame.service, ({ name }) => name);
      return;
    case "service_remove":
      services.value = services.peek().filter(({ name }) => name !== frame.name);
      return;
    case "clients_snapshot":
      clients.value = inOrder(frame.clients);
      return;
    case "client_upsert":
      clients.value = withItem(clients.peek(), frame.client, ({ id }) => id);
      return;
    case "client_remove":
      clients.value = clients.peek().filter(({ id }) => id !== frame.id);
      return;
  }
}

function noteRates(): void {
  for (const { name, publisher_rate } of topics.peek()) {
    const known = rates.get(name) ?? [];
    known.push(publisher_rate);
    if (known.length > RATES) known.shift();
    rates.set(name, known);
  }
}
