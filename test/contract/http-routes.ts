import { LOG_LEVELS } from "./closed-values.ts";
import { type Fields, type FieldType, oneOf, optional, type Tables } from "./field-types.ts";

export interface RouteRow {
  readonly method: "GET" | "POST";
  readonly path: string;
  /** Query parameters. `flag`: counts with any value but `0` and `false`. */
  readonly query: Readonly<Record<string, FieldType | "flag">>;
  readonly status: number;
  /** Beginning of the Content-Type of a success; null where there is none. */
  readonly contentType: string | null;
  /** Whether a request without credentials is refused with 401. */
  readonly authenticated: boolean;
}

const route = (
  [method, path]: [RouteRow["method"], string],
  query: RouteRow["query"],
  contentType: string | null,
  rest: Partial<Pick<RouteRow, "status" | "authenticated">> = {},
): RouteRow => ({ method, path, query, contentType, status: 200, authenticated: true, ...rest });

/** The routes of docs/design/wire-rules.md, "HTTP routes". */
export const ROUTES: readonly RouteRow[] = [
  route(["GET", "/"], {}, "text/html"),
  route(["GET", "/ws"], { single_process: "string", single_group: "string", log_only: "flag" }, null, { status: 101 }),
  route(["GET", "/mgr/log"], { raw: "flag", level: oneOf(...LOG_LEVELS), limit: "integer", follow: "flag" }, "text/plain; charset=utf-8"),
  route(["GET", "/mgr/vnc/info"], { session: "string" }, "application/json"),
  route(["GET", "/mgr/vnc/ws"], { session: "string" }, null, { status: 101 }),
  route(["GET", "/mgr/gui/ws"], { display: "string", connection: "string" }, null, { status: 101 }),
  route(["GET", "/save-all"], { name: "string" }, null),
  // Without a query there is nothing to send; so for the next one.
  route(
    ["GET", "/mgr/logger-download"],
    { name: "string", format: oneOf("pickle", "matlab", "raw", "mcap", "csv"), stop: "flag" },
    "text/plain",
    { status: 400 },
  ),
  route(["GET", "/mgr/recording"], { name: "string", host: "string", file: "string" }, "text/plain", { status: 400 }),
  route(["GET", "/mgr/process-list"], { host: "string", pid: "integer", tid: "integer" }, "text/html"),
  route(["POST", "/mgr/logout"], {}, null),
  route(["GET", "/mgr/health"], {}, "text/plain", { authenticated: false }),
  route(["GET", "/mgr/metrics"], {}, "text/plain"),
  route(["GET", "/mgr/bus"], {}, "application/json"),
  route(["GET", "/mgr/schema"], {}, "application/json"),
];

const vncInfo: Fields = {
  ok: "boolean",
  webui_asset_hash: "string",
  display_name: "string",
  process: "string",
  process_state: "string",
  vnc_port: "integer",
  ready: "boolean",
  websocket_path: "string",
};

/** Bodies of `/mgr/vnc/info`. */
export const ROUTE_BODIES: Tables = {
  "private VNC info": { ...vncInfo, username: "string", display: "integer", manager_host: "string" },
  "configured VNC info": { ...vncInfo, kind: oneOf("configured"), node: "string", host: "string", vnc_display: "integer" },
  "failed VNC info": {
    ok: "boolean",
    message: "string",
    kind: optional(oneOf("private", "configured")),
    webui_asset_hash: "string",
  },
};

/** The attributes of the cookie, these and no others (docs/design/wire-rules.md, "Authentication"). */
export const SESSION_COOKIE = { name: "mgr_web_session", attributes: ["Path=/", "HttpOnly", "SameSite=Lax"] };
/** docs/design/wire-rules.md, "HTTP refusals". */
export const CHALLENGE = 'Basic realm="mgr", charset="UTF-8"';
/** Statuses of refusals (docs/design/wire-rules.md, "HTTP refusals"). */
export const REFUSALS = {
  "no or wrong credentials": 401,
  "auth file not configured, missing, not regular or readable by others": 403,
  "foreign Origin or Host": 403,
  "bad query": 400,
  "unknown route or name": 404,
  "wrong method": 405,
  "slow request": 408,
  "request too large": 413,
  "throttled logins": 429,
  "shutting down": 503,
};
/** A line of `/mgr/log`: `<ts> <level> <source>: <msg>`. */
export const LOG_LINE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3} (?:debug|info|warning|error) [^:]+: /;
