import { until } from "../../../base/timing/wait.ts";
import type { Requester } from "../../../client/requests.ts";
import type { AnswerOf, FrameOf, ManagerFrame } from "../../../protocol/frames/frames.ts";
import type { OutputHit } from "../wire.ts";

/** Longest time of a search, milliseconds: processor time is limited, and the time of a busy host is not. */
const TIMEOUT_MS = 600_000;

type Frame = FrameOf<"search_output">;

/** The pattern, and the output that is searched. Without `names` and `patterns`: the output of all processes. */
export interface OutputSearchOptions extends Partial<Omit<Frame, "type" | "request_id" | "search" | "pattern">> {
  /** Ends the search at the hosts. */
  readonly signal?: AbortSignal;
  /** Called now and then. */
  readonly onProgress?: (
    progress: Pick<Extract<ManagerFrame, { type: "search_output_progress" }>, "searched" | "hosts" | "hosts_done">,
  ) => void;
}

/** The end of a search: how much was searched, where it ended early, and which hosts did not answer. */
export type OutputSearchSummary = Omit<AnswerOf<"search_output">, "type" | "request_id" | "search">;

let searches = 0;

/**
 * Searches the output of processes: yields hits as they are found and returns the summary. A loop that ends early ends the search. Rejects with
 * `bad_field` for a pattern that cannot be used, and with the reason of the signal.
 */
export async function* searchOutput(
  client: Requester,
  pattern: string,
  { signal = new AbortController().signal, onProgress, ...query }: OutputSearchOptions = {},
): AsyncGenerator<OutputHit, OutputSearchSummary, undefined> {
  signal.throwIfAborted();
  const search = `search-${++searches}`;
  const hits: OutputHit[] = [];
  let wake = () => {};
  let isOver = false;
  const events = client.events$.subscribe((frame) => {
    if (frame.type === "search_output_hits" && frame.search === search) hits.push(...frame.hits);
    else if (frame.type === "search_output_progress" && frame.search === search) onProgress?.(frame);
    wake();
  });
  const answer = client.request({ type: "search_output", search, pattern, ...query }, { timeout: TIMEOUT_MS }).finally(() => {
    isOver = true;
    wake();
  });
  // A failure is thrown below, after the hits that came before it.
  answer.catch(() => undefined);
  try {
    for (;;) {
      await until(
        () => hits.length > 0 || isOver,
        (check) => {
          wake = check;
          return () => {};
        },
        signal,
      );
      const hit = hits.shift();
      if (hit === undefined) break;
      yield hit;
    }
    const { type: _type, request_id: _id, search: _search, ...summary } = await answer;
    return summary;
  } finally {
    events.unsubscribe();
    // A connection that is closed has ended it.
    if (!isOver) await client.request({ type: "cancel_search_output", search }).catch(() => undefined);
  }
}
