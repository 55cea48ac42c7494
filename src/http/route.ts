import type { Context } from "hono";
import type { Admission } from "./auth/authenticate.ts";
import type { RemoteEnd } from "./server/remote-end.ts";

/** What the listener adds to a request. */
export interface RequestBindings {
  readonly remote: RemoteEnd;
  /** Closes the connection without an answer, because the reader is too slow. */
  readonly disconnect: () => void;
}

/** Every route that is not `isOpen` has an `admission`. */
export type RouteEnv = { Bindings: RequestBindings; Variables: { admission: Admission } };
export type RouteContext = Context<RouteEnv>;

export interface Route {
  /** A hono pattern. */
  readonly path: string;
  /** GET answers HEAD too, with the same headers: such a handler must do nothing but answer. */
  readonly method: "GET" | "POST";
  /** Served without authentication. */
  readonly isOpen?: true;
  /** The answer to a browser that navigates here without a login. The usual challenge would open the browser's own dialog. */
  readonly loginPage?: () => Response;
  /**
   * What a request with this query does beside answering, as the label of a button ("Download the archive"); null: nothing. Such a request
   * needs proof that the manager's page or a script asked; HEAD never does anything.
   */
  readonly effect?: (query: URLSearchParams) => string | null;
  readonly handle: (context: RouteContext) => Response | Promise<Response>;
}
