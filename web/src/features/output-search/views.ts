import type { ViewType } from "../../state/views.ts";

declare module "../../state/views.ts" {
  interface ViewFields {
    /** The search of the output of all processes. */
    search: unknown;
    /** The output of several processes in the order of time: of a group, or of all. */
    merged: { of: string };
  }
}

/** `of` in the view of all processes. */
export const ALL = "*";

/** The parameters of the search in the address (search/search-query.ts). */
export const SEARCH_PARAMETERS = ["q", "regex", "case", "in", "since"] as const;
/** The parameters of merged output in the address (merged/merged-options.ts). */
export const MERGED_PARAMETERS = ["only", "filter", "expression", "times"] as const;

export const SEARCH: ViewType<"search"> = { kind: "search", icon: "search", title: "Search output", parameters: SEARCH_PARAMETERS };

export const MERGED: ViewType<"merged"> = {
  kind: "merged",
  icon: "merge",
  titleOf: ({ of }) => (of === ALL ? "Output of all" : `Output of ${of}`),
  fields: { of: { parameter: "merged" } },
  parameters: MERGED_PARAMETERS,
};
