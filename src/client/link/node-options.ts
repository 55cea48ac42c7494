import type { Socket } from "node:net";
import type { ConnectOptions } from "./connect-options.ts";

export interface NodeConnectOptions extends ConnectOptions {
  /** Opens the connection instead of TCP to the address, for example to a unix socket; called again for each attempt. */
  dial?: () => Socket;
  /** PEM text of certificates to trust in addition to the well-known authorities, such as the manager's self-signed one. */
  ca?: string;
}
