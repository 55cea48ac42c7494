import { outputSearchExtension } from "../../../src/features/output-search/manager/index.ts";

/** Hosts whose processes have printed nothing. */
export class FakeOutputSearch {
  readonly extension = outputSearchExtension(async ({ search }) => ({
    type: "search_output_done",
    search,
    hits: 0,
    searched: 0,
    cancelled: false,
    truncated: [],
    unanswered: [],
    problems: [],
  }));
}
