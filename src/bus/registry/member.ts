import { type ClientRecord, type ClientRegistration, MAX_REPORTED_SUBSCRIPTIONS } from "../../contract/registry.ts";
import type { HookedClient } from "../broker/broker-hooks.ts";
import { readableText } from "../broker/broker-protocol.ts";
import type { ClientSubscription } from "../broker/broker-subscriber.ts";

/** Maximum number of characters of the subscriptions that are reported for one client: a report is sent again at each change. */
const MAX_REPORTED_CHARS = 64 * 1024;

/** A client that the registry shows. */
export class Member {
  readonly client: HookedClient;
  /** The client's registration; null: it has not registered. */
  registration: ClientRegistration | null = null;
  /** Subscriptions that may match a topic. */
  readonly subscriptions = new Set<ClientSubscription>();

  constructor(client: HookedClient) {
    this.client = client;
  }

  get name(): string {
    return this.registration?.name ?? nameWithoutRegistration(this.client);
  }

  get record(): ClientRecord {
    const { client, registration } = this;
    const { pid = 0, library_version = 0, svn_revision = 0, modified = false, svc_debug = false } = registration ?? {};
    return {
      connection: client.id,
      name: this.name,
      pid,
      address: client.address,
      library_version,
      svn_revision,
      modified,
      svc_debug,
      registered: registration !== null,
      run_id: client.identity?.run_id ?? null,
      process_name: client.identity?.process ?? "",
      subscriptions: this.#reportedSubjects(),
    };
  }

  #reportedSubjects(): string[] {
    const subjects: string[] = [];
    let chars = 0;
    for (const { subject } of this.subscriptions) {
      chars += subject.length;
      if (subjects.length >= MAX_REPORTED_SUBSCRIPTIONS || chars > MAX_REPORTED_CHARS) break;
      subjects.push(readableText(subject));
    }
    return subjects;
  }
}

export function nameWithoutRegistration(client: HookedClient): string {
  return client.name || client.identity?.process || client.identity?.name || "";
}
