import type { Grant } from "./access.ts";

/** The sender of a request: the outcome of authentication, carried by every request and connection. */
export interface Principal {
  /** The web user's name, as in the auth file; `token:<name>` for an access token; `local:<system user>` over the local socket. */
  readonly user: string;
  /** `token`: a login token of a page of another site. `bearer`: an access token. */
  readonly via: "basic" | "cookie" | "token" | "bearer" | "local" | "in-process";
  /** The client's `<ip>:<port>`, "" in process and over the local socket. */
  readonly address: string;
  /** What the sender may do. */
  readonly grants: readonly Grant[];
}
