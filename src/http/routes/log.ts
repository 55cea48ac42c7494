import type { LogBook } from "../../log/log-book.ts";
import { LOG_LEVELS, type LogLevel } from "../../protocol/resources/resources.ts";
import { isFlagSet } from "../../transport/view.ts";
import { LogStream } from "../log/log-stream.ts";
import { isRefusal, type Refusal, refusal, refusalResponse } from "../request/refusal.ts";
import { needsInGeneral, type Route, type RouteContext } from "../route.ts";
import type { Followers } from "../server/open-connections.ts";

const MAX_LIMIT = 100_000;
const HEADERS = { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store" };

interface LogQuery {
  readonly level: LogLevel;
  readonly limit: number | undefined;
  readonly follow: boolean;
}

/** `GET /mgr/log`: the manager's log as text (docs/design/wire-rules.md, "HTTP routes"). */
export function logRoute(book: LogBook, followers: Followers): Route {
  return {
    path: "/mgr/log",
    needs: needsInGeneral("viewer"),
    method: "GET",
    handle(context) {
      const query = parseQuery(new URL(context.req.url).searchParams);
      if (isRefusal(query)) return refusalResponse(query);
      return new Response(context.req.method === "HEAD" ? null : read(context, query, book, followers), { headers: HEADERS });
    },
  };
}

function read(context: RouteContext, query: LogQuery, book: LogBook, followers: Followers): ReadableStream<Uint8Array> {
  const { principal, sessionId } = context.get("admission");
  const { disconnect } = context.env;
  let forget = () => {};
  const stream = new LogStream({ ...query, book, onOverflow: disconnect, onClosed: () => forget() });
  if (query.follow) forget = followers.add({ principal, sessionId }, () => stream.end());
  return stream.readable();
}

function parseQuery(query: URLSearchParams): LogQuery | Refusal {
  const level = query.get("level") ?? "debug";
  if (!isLevel(level)) return refusal(400, `level must be one of ${LOG_LEVELS.join(", ")}, not ${JSON.stringify(level)}.`);
  const limit = query.get("limit");
  if (limit !== null && !/^0*[1-9]\d*$/.test(limit)) {
    return refusal(400, `limit must be a whole number from 1 to ${MAX_LIMIT}, not ${JSON.stringify(limit)}.`);
  }
  return { level, limit: limit === null ? undefined : Math.min(Number(limit), MAX_LIMIT), follow: isFlagSet(query, "follow") };
}

function isLevel(text: string): text is LogLevel {
  return (LOG_LEVELS as readonly string[]).includes(text);
}
