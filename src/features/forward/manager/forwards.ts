import type { Principal } from "../../../base/access/principal.ts";
import type { Forward } from "../wire.ts";

/** The forwards of TCP ports that are open. */
export interface Forwards {
  list(): Forward[];
  /** Closes a forward for a user; nothing happens if there is none with this id. Throws `forbidden` if it belongs to another user. */
  close(id: string, by: Principal): void;
}
