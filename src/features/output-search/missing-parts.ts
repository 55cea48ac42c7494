import type { AnswerOf } from "../../protocol/frames/frames.ts";
import type { SearchStop } from "./limits.ts";

/** The parts that are missing in the result of a search, one sentence each. `limits`: names of the limits. */
export function missingParts(
  { truncated, unanswered, problems }: Pick<AnswerOf<"search_output">, "truncated" | "unanswered" | "problems">,
  limits: Readonly<Record<SearchStop, string>>,
): string[] {
  return [
    ...truncated.map(({ host, by }) => `the search on ${host} ended early, at the limit of the ${limits[by]}: there may be more`),
    ...unanswered.map(({ host, reason }) => `${host} was not searched: ${reason}`),
    ...problems.map(({ host, problem }) => `${host}: ${problem}`),
  ];
}
