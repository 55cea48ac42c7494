import type { BrokerStats } from "../../bus/broker/broker.ts";
import type { AcceptOptions } from "../../bus/broker/broker-client.ts";
import type { BrokerPermissions } from "../../bus/broker/permissions.ts";
import type { ByteStream } from "../../bus/carriers/byte-stream.ts";

/** The bus behind `/mgr/bus`. */
export interface BusUpgrade {
  /** Where clients go instead, for a person; null: they are welcome here. */
  readonly elsewhere: string | null;
  /** What the bearer of this token may do; null: it is nobody's. */
  permissionsOf(token: string): BrokerPermissions | null;
  /** What a web user may do. */
  permissionsOfUser(user: string): BrokerPermissions;
  accept(stream: ByteStream, options: AcceptOptions): void;
  stats(): BrokerStats;
  /** Connections, subjects and their counters, as JSON. */
  report(): Promise<object>;
}
