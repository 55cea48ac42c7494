import type { AcceptOptions } from "../bus/broker-client.ts";
import type { ByteStream } from "../bus/byte-stream.ts";
import type { BrokerPermissions } from "../bus/permissions.ts";

/** The bus behind `/mgr/bus`. */
export interface BusDoor {
  /** What the bearer of this token may do; null: it is nobody's. */
  permissionsOf(token: string): BrokerPermissions | null;
  /** What a web user may do. */
  permissionsOfUser(user: string): BrokerPermissions;
  accept(stream: ByteStream, options: AcceptOptions): void;
}
