import { OUTPUT_FORMATS, type OutputFormat } from "./output-bytes.ts";

/** Lines of an excerpt, at most. */
const MAX_LINES = 10_000;
const MAX_RUN = 2 ** 40;

/** A request for output. */
export interface DownloadQuery {
  /** A process, or a group; the empty name is the group of all processes. */
  readonly target: { readonly kind: "process" | "group"; readonly name: string };
  readonly format: OutputFormat;
  /** Only the output of one run: its number, 0 for the newest, -1 for the one before; null: all that is kept. */
  readonly run: number | null;
  /** Only the last lines; null: all. */
  readonly lines: number | null;
}

/** The request of a query, or the sentence that refuses it. */
export function downloadQuery(query: URLSearchParams): DownloadQuery | string {
  const [name, group] = [query.get("name"), query.get("group")];
  if ((name === null) === (group === null) || name === "")
    return "Give the process or the group whose output is requested: /mgr/output?name=NAME, or ?group=NAME; an empty group is all processes.";
  const asked = query.get("format") ?? "text";
  const format = OUTPUT_FORMATS.find((each) => each === asked);
  if (format === undefined) return `There is no format ${JSON.stringify(asked)}; use ${OUTPUT_FORMATS.join(" or ")}.`;
  const run = wholeNumber(query.get("run"), -MAX_RUN, MAX_RUN);
  if (run === undefined) return "run must be the number of a run, 0 for the newest one, or -1 for the one before.";
  if (group !== null && run !== null && run > 0) return "The runs of a group are counted from the newest one: run must be 0, -1 and so on.";
  const lines = wholeNumber(query.get("lines"), 1, MAX_LINES);
  if (lines === undefined) return `lines must be a whole number from 1 to ${MAX_LINES}.`;
  if (group !== null && lines !== null) return "lines is for the output of one process.";
  return { target: name === null ? { kind: "group", name: group ?? "" } : { kind: "process", name }, format, run, lines };
}

/** Null: there is none; undefined: it is something else. */
function wholeNumber(text: string | null, least: number, most: number): number | null | undefined {
  if (text === null) return null;
  const value = /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  return value >= least && value <= most ? value : undefined;
}
