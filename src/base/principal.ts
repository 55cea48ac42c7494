import type { Grant } from "./access.ts";

/** The sender of a request: the outcome of authentication, carried by every request and connection. */
export interface Principal {
  /** The web user's name, as in the auth file; `token:<name>` for an access token; `proxy:<name>` behind a trusted proxy; `local:<system user>` over the local socket. */
  readonly user: string;
  /** `token`: a login token of a page of another site. `bearer`: an access token. `proxy`: a header of a trusted proxy. */
  readonly via: "basic" | "cookie" | "token" | "bearer" | "proxy" | "local" | "in-process";
  /** The client's `<ip>:<port>`, "" in process and over the local socket. */
  readonly address: string;
  /** The roles of the sender. */
  readonly grants: readonly Grant[];
}
