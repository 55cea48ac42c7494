import type { RemoteEnd } from "../request/remote-end.ts";

/** A link of the login page to another way to log in. */
export interface LoginOffer {
  /** The text of the link. */
  readonly label: string;
  readonly href: string;
}

/** The place from which a user logs in. */
export interface LoginPlace {
  readonly remote: RemoteEnd;
  /** The program that the client says it is; null: it says nothing. */
  readonly client: string | null;
}

/** A login that has a session now. */
export interface OpenedLogin {
  /** Value of the Set-Cookie header for the response. */
  readonly setCookie: string;
}
