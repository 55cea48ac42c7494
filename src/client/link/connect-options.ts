import { MgrError } from "../../base/errors.ts";
import { checkOptions, MILLISECONDS, type OptionRule, shown, TEXT } from "../../base/options.ts";
import type { WebSocketLinkOptions } from "./websocket-link.ts";

/**
 * A focused view (docs/design/wire-rules.md, "Focused connections"): one process with its output, a group with all below it, or the log.
 */
export type FocusedView = { single_process: string } | { single_group: string } | { log_only: true };

export interface ConnectOptions {
  user?: string;
  password?: string;
  /** An access token instead of user and password (docs/logins.md). */
  token?: string;
  /** A session cookie's value instead of user and password. Not in a browser, which sends its own. */
  cookie?: string;
  /** Everything by default. */
  view?: FocusedView;
  /** Name of this program for the manager's records: a letter or digit, then letters, digits, `_`, `.` and `-`; at most 32 characters. */
  client?: string;
  /**
   * Pauses between attempts, milliseconds, doubled up to `max`; the first connection is retried, too. If omitted, the first attempt has to
   * succeed, and a connection lost later is retried (250 ms to 5 s). False: a lost connection is closed.
   */
  retry?: { first: number; max: number } | false;
}

const RETRY: OptionRule = {
  is: "false, or {first, max} in milliseconds from 1 on",
  holds: (value) =>
    value === false ||
    (typeof value === "object" &&
      value !== null &&
      ["first", "max"].every((name) => {
        const pause: unknown = Reflect.get(value, name);
        return MILLISECONDS.holds(pause) && pause !== 0;
      })),
};
const CLIENT: OptionRule = {
  is: "a name of at most 32 letters, digits, _, . and -",
  holds: (value) => typeof value === "string" && /^[A-Za-z0-9][\w.-]{0,31}$/.test(value),
};
const VIEW_RULES = {
  single_process: TEXT,
  single_group: TEXT,
  log_only: { is: "true", holds: (value: unknown) => value === true },
};
const RULES = { user: TEXT, password: TEXT, token: TEXT, cookie: TEXT, client: CLIENT, view: { is: "", holds: () => true }, retry: RETRY };

/** Throws `bad_field` for options that a program without types has misspelled. */
export function checkConnectOptions(options: ConnectOptions, more: Readonly<Record<string, OptionRule>> = {}): void {
  checkOptions("connect", options, { ...RULES, ...more });
  // Anything else could end the header, or be refused with a message that shows it.
  if (options.token !== undefined && !/^[\w.~+/=-]+$/.test(options.token))
    throw new MgrError("bad_field", "the option 'token' of connect is no access token: those begin with mgr_");
}

/** The query of `/ws` that requests a view. Throws `bad_field` for an unknown view, for which the manager would show everything. */
export function viewQuery(view: FocusedView | undefined): URLSearchParams {
  checkOptions("a view", view ?? {}, VIEW_RULES);
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(view ?? {})) query.set(key, value === true ? "1" : String(value));
  return query;
}

const SCHEMES = ["http:", "https:", "ws:", "wss:"];

/** The WebSocket address of a manager's base address: http → ws, https → wss, and the path `/ws`. Throws `bad_field`. */
export function webSocketUrl(base: string, view: ConnectOptions["view"], client?: string): URL {
  const url = URL.canParse(base) ? new URL(base) : null;
  if (url === null || !SCHEMES.includes(url.protocol))
    throw new MgrError("bad_field", `the address of a manager looks like http://localhost:8130, found ${shown(base)}`);
  url.protocol = url.protocol === "https:" || url.protocol === "wss:" ? "wss:" : "ws:";
  url.pathname = "/ws";
  const query = viewQuery(view);
  if (client !== undefined) query.set("client", client);
  url.search = query.toString();
  return url;
}

/** Reconnect options for the links of `connect`. */
export function linkBehaviour({ retry }: ConnectOptions): Pick<WebSocketLinkOptions, "retry" | "firstMustSucceed" | "isFinal"> {
  return {
    // Throttling and a shutdown end after a while.
    isFinal: (error) => error instanceof MgrError && error.code !== "busy" && error.code !== "host_unavailable",
    ...(retry === undefined ? { firstMustSucceed: true } : { retry }),
  };
}

/** The value of the header Authorization: the token, or user and password; undefined: neither is given. */
export function authorizationOf({ user, password = "", token }: Pick<ConnectOptions, "user" | "password" | "token">): string | undefined {
  if (token !== undefined) return `Bearer ${token}`;
  return user === undefined ? undefined : basicCredentials(user, password);
}

/** `user:password` encoded for HTTP Basic, in UTF-8. */
function basicCredentials(user: string, password: string): string {
  const bytes = new TextEncoder().encode(`${user}:${password}`);
  return `Basic ${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))}`;
}
