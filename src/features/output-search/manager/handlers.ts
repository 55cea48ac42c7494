import { MgrError } from "../../../base/errors.ts";
import { encodeFrame } from "../../../protocol/frames/encode.ts";
import { type HandlerTable, perConnection } from "../../../transport/handlers/handler.ts";
import type { outputSearchCommands } from "../wire.ts";
import type { SearchOptions, SearchOutput } from "./output-search.ts";

/** Searches at the same time on one connection. */
const MAX_SEARCHES = 2;

export function outputSearchHandlers(searchOutput: SearchOutput): HandlerTable<keyof typeof outputSearchCommands> {
  /** Running searches of a connection, by their names. */
  const searchesOf = perConnection(
    () => new Map<string, AbortController>(),
    (searches) => {
      for (const search of searches.values()) search.abort();
    },
  );
  return {
    search_output: {
      kind: "request",
      answer: async (frame, context) => {
        const own = searchesOf(context);
        if (own.has(frame.search))
          throw new MgrError("conflict", `this connection has a search '${frame.search}' already; choose another name`);
        if (own.size >= MAX_SEARCHES)
          throw new MgrError("busy", `this connection carries out ${MAX_SEARCHES} searches already: wait for one, or cancel it`);
        const cancelled = new AbortController();
        own.set(frame.search, cancelled);
        try {
          const send: SearchOptions["send"] = (sent) => context.push({ bytes: encodeFrame(sent), mergeKey: null });
          return [await searchOutput(frame, { context, send, signal: cancelled.signal })];
        } finally {
          own.delete(frame.search);
        }
      },
    },
    cancel_search_output: { kind: "command", run: ({ search }, context) => searchesOf(context).get(search)?.abort() },
  };
}
