import type { Grant } from "../../base/access/access.ts";
import type { BrokerStats } from "../../bus/broker/broker.ts";
import type { AcceptOptions, BrokerPermissions } from "../../bus/broker/permissions.ts";
import type { ByteStream } from "../../bus/carriers/byte-stream.ts";

/** The bus behind `/mgr/bus`. */
export interface BusUpgrade {
  /** Address at which clients have to connect instead; null: they can connect here. */
  readonly otherAddress: string | null;
  /** Permissions of the token's bearer; null: the token is not valid. */
  permissionsOf(token: string): BrokerPermissions | null;
  /** Permissions of a web user; null: the user has no role. */
  permissionsOfUser(user: string, grants: readonly Grant[]): BrokerPermissions | null;
  accept(stream: ByteStream, options: AcceptOptions): void;
  stats(): BrokerStats;
  /** Connections, subjects and their counters, as JSON. */
  report(): Promise<object>;
}
