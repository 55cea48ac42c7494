import type { Grant } from "./access.ts";

/** Beginning of the names of users whom a group of this system makes operators on the local socket (docs/access.md). */
export const LOCAL_OPERATOR = "operator:";

/** The sender of a request: the outcome of authentication, carried by every request and connection. */
export interface Principal {
  /** The web user's name, as in the auth file; `token:<name>` for an access token; `proxy:<name>` behind a trusted proxy; `oidc:<name>` of an OpenID provider; `local:<system user>` over the local socket, `operator:<system user>` over the one for operators. */
  readonly user: string;
  /** `token`: a login token of a page of another site. `bearer`: an access token. `proxy`: a header of a trusted proxy. `provider`: a login at a login provider. */
  readonly via: "basic" | "cookie" | "token" | "bearer" | "proxy" | "provider" | "local" | "in-process";
  /** The client's `<ip>:<port>`, "" in process and over the local socket. */
  readonly address: string;
  /** The roles of the sender. */
  readonly grants: readonly Grant[];
}
