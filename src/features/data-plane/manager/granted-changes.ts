import { allowsOwned, type Grant, type Owners } from "../../../base/access/access.ts";
import type { ChangeFrame } from "../../../protocol/frames/frames.ts";
import type { Client } from "../../../protocol/resources/resources.ts";

/** Grants of a user with roles on some processes; null: the user sees everything. */
export type Sight = readonly Grant[] | null;

/** The processes to which a resource belonged before a change, and those to which it belongs now. */
export interface OwnerChange {
  readonly before: Owners;
  readonly now: Owners;
}

/** Whether an object of these processes is seen. */
export const isSeen = (grants: Sight, owners: Owners): boolean => grants === null || allowsOwned(grants, "viewer", owners);

/** The part of a change of a client, a topic or a service that a user with roles on some processes sees. */
export function shownChange(
  change: ChangeFrame,
  { before, now }: OwnerChange,
  { grants, shownClient }: { readonly grants: readonly Grant[]; readonly shownClient: (client: Client) => Client },
): readonly ChangeFrame[] {
  const [was, is] = [isSeen(grants, before), isSeen(grants, now)];
  switch (change.type) {
    case "client_upsert":
      if (is) return [{ ...change, client: shownClient(change.client) }];
      return was ? [{ type: "client_remove", id: change.client.id }] : [];
    case "topic_upsert":
      if (is) return [change];
      return was ? [{ type: "topic_remove", name: change.topic.name }] : [];
    case "service_upsert":
      if (is) return [change];
      return was ? [{ type: "service_remove", name: change.service.name }] : [];
    default:
      return was ? [change] : [];
  }
}
