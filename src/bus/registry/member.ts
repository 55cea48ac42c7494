import { type ClientRecord, type ClientRegistration, MAX_REPORTED_SUBSCRIPTIONS } from "../../contract/data-plane.ts";
import type { HookedClient } from "../broker/broker-hooks.ts";
import { readableText } from "../broker/broker-protocol.ts";
import type { ClientSubscription } from "../broker/broker-subscriber.ts";

/** A client that the registry shows. */
export class Member {
  readonly client: HookedClient;
  /** Null: it has not registered. */
  registration: ClientRegistration | null = null;
  /** Those that may match a topic. */
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
    const subjects = [...this.subscriptions].slice(0, MAX_REPORTED_SUBSCRIPTIONS).map(({ subject }) => readableText(subject));
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
      subscriptions: subjects,
    };
  }
}

export function nameWithoutRegistration(client: HookedClient): string {
  return client.name || client.identity?.process || client.identity?.name || "";
}
