import type { Context } from "hono";
import type { Need } from "../base/access/access.ts";
import type { Admission } from "./auth/authenticate.ts";
import type { RemoteEnd } from "./request/remote-end.ts";

/** Values that the listener adds to a request. */
export interface RequestBindings {
  readonly remote: RemoteEnd;
  /** Closes the connection without an answer, because the reader is too slow. */
  readonly disconnect: () => void;
}

/** Every route that is not `isOpen` has an `admission`. `contentPolicy`: the Content-Security-Policy of the response, if it is not the usual one. */
export type RouteEnv = { Bindings: RequestBindings; Variables: { admission: Admission; contentPolicy?: string } };
export type RouteContext = Context<RouteEnv>;

/** The need of a request with this query, and its subject: a process, a group, or everything (null). */
export type RouteNeeds = (query: URLSearchParams) => { readonly need: Need; readonly on: string | null };

/** The need of each request to a route, on everything. */
export const needsInGeneral =
  (need: Need): RouteNeeds =>
  () => ({ need, on: null });

export interface Route {
  /** A hono pattern. */
  readonly path: string;
  /** GET answers HEAD too, with the same headers: such a handler must have no effect. */
  readonly method: "GET" | "POST";
  /** Whether pages of `instance.allowed_origins` may use it; every GET route is shared with them. */
  readonly isShared?: true;
  /** Whether it is served without authentication. */
  readonly isOpen?: true;
  /** The permission that its sender needs (docs/access.md); null: a login is enough. */
  readonly needs: RouteNeeds | null;
  /** Whether its query may hold an access token for URLs. */
  readonly takesUrlToken?: true;
  /** The body of the 401 for a browser that navigates here: HTML, shown when its user cancels the browser's own dialog. */
  readonly loginPage?: () => string;
  /** Whether the login form sends its request here. */
  readonly isLogin?: true;
  /**
   * The effect of a request with this query, as the label of a button ("Download the archive"); null: none. A request with an effect needs proof
   * that the manager's page or a script sent it; HEAD never has an effect.
   */
  readonly effect?: (query: URLSearchParams) => string | null;
  readonly handle: (context: RouteContext) => Response | Promise<Response>;
}
