import { z } from "zod";
import { session } from "../../contract/fields.ts";
import { listPage } from "../../contract/pages.ts";

/** Most ports of one process that are listed. */
export const MAX_PORTS = 256;
/** Most names in a request. */
export const MAX_NAMES = 10_000;

const listeningPort = z.object({
  protocol: z.enum(["tcp", "udp"]),
  /** IPv4 or IPv6 address that it is bound to; 0.0.0.0 and :: are all of the machine. */
  address: z.string(),
  port: z.number(),
  /** The process of the tree that holds the socket; of several, the first that was found. */
  pid: z.number(),
  /** Whether the socket is in another network namespace than the daemon: it cannot be reached by the address of the machine. */
  own_network: z.boolean(),
});
export type ListeningPort = z.infer<typeof listeningPort>;

/** The ports of one process with its descendants. */
const portRow = z.object({
  name: z.string(),
  ports: z.array(listeningPort),
  /** False: there may be others. A process of the tree belongs to another user, or there are too many. */
  complete: z.boolean(),
});
export type PortRow = z.infer<typeof portRow>;
export const portPage = z.array(portRow);

export const PORT_REQUESTS = {
  /** The ports on which the trees of these processes listen, as `portPage`: a row for each that runs. Null: of all. */
  listening_ports: {
    request: z.object({ session, names: z.array(z.string().max(1_024)).max(MAX_NAMES).nullable() }),
    response: z.object(listPage),
  },
} as const;
