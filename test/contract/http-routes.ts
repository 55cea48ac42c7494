import { FEATURE_CONTRACTS } from "../features/contract.ts";
import { LOG_LEVELS } from "./closed-values.ts";
import { type Fields, oneOf, type Tables } from "./field-types.ts";
import { merged, type RouteRow, route } from "./rows.ts";

/** The routes of docs/design/wire-rules.md, "HTTP routes". */
export const ROUTES: readonly RouteRow[] = [
  route(["GET", "/"], {}, "text/html"),
  route(["GET", "/ws"], { single_process: "string", single_group: "string", log_only: "flag" }, null, { status: 101 }),
  route(["GET", "/mgr/log"], { raw: "flag", level: oneOf(...LOG_LEVELS), limit: "integer", follow: "flag" }, "text/plain; charset=utf-8"),
  route(["GET", "/save-all"], { name: "string" }, null),
  route(["POST", "/mgr/logout"], {}, null),
  route(["GET", "/mgr/health"], {}, "text/plain", { authenticated: false }),
  route(["GET", "/mgr/metrics"], {}, "text/plain"),
  route(["GET", "/mgr/names"], { kind: "string", prefix: "string" }, "text/plain", { status: 400 }),
  route(["GET", "/mgr/bus"], {}, "application/json"),
  route(["GET", "/mgr/schema"], {}, "application/json"),
  ...FEATURE_CONTRACTS.flatMap(({ routes }) => routes ?? []),
];

/** Bodies of the routes of features. */
export const ROUTE_BODIES: Tables = merged<Fields>(FEATURE_CONTRACTS.map(({ routeBodies }) => routeBodies));

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
