import type { Live } from "../../e2e/support/live-frames.ts";

/** The search is over when it is cancelled. */
export async function outputSearchLive({ ask, process }: Live): Promise<void> {
  const search = "live";
  await ask({
    type: "search_output",
    search,
    pattern: "you typed [a-z]",
    regex: true,
    ignore_case: true,
    names: [process],
    patterns: ["*"],
    since: 3_600,
    until: 1,
    context: 1,
    limit: 10,
  });
  await ask({ type: "cancel_search_output", search });
}
