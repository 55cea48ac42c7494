/** Who speaks: the outcome of authentication, carried by every request and connection. */
export interface Principal {
  /** The web user's name, as in the auth file; `local:<system user>` over the local socket. */
  readonly user: string;
  readonly via: "basic" | "cookie" | "local" | "in-process";
  /** The client's `<ip>:<port>`, "" in process and over the local socket. */
  readonly address: string;
}
