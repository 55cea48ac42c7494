/** Who speaks: the outcome of authentication, carried by every request and connection. */
export interface Principal {
  /** The web user's name, as in the auth file. */
  readonly user: string;
  readonly via: "basic" | "cookie" | "token" | "in-process";
  /** The client's `<ip>:<port>`, "" in process. */
  readonly address: string;
}
