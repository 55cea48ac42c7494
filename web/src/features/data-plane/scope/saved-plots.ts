import { type Plot, plotOfParameters, plotParameters } from "./plot-address.ts";

/** A plot under a name. */
export interface SavedPlot {
  readonly name: string;
  readonly plot: Plot;
}
/** Maximum number of saved plots, and maximum length of their names in characters. */
export const MAX_SAVED = 50;
export const MAX_NAME = 60;
/** Maximum size of a file of saved plots, bytes: 50 plots of 20 long traces take less. */
export const MAX_FILE_BYTES = 1024 * 1024;

/** The stored form: a plot has the names and values of its address. */
export function storedForm(saved: readonly SavedPlot[]): { name: string; plot: [string, string][] }[] {
  return saved.map(({ name, plot }) => ({ name, plot: plotParameters(plot) }));
}

/** Parses the stored form. Entries without a name or a trace are left out; null if it is no list. */
export function readStored(value: unknown): SavedPlot[] | null {
  if (!Array.isArray(value)) return null;
  const read = value.flatMap((entry) => readEntry(entry) ?? []);
  return withSaved([], read).saved;
}

function readEntry(entry: unknown): SavedPlot | null {
  if (typeof entry !== "object" || entry === null || !("name" in entry) || !("plot" in entry)) return null;
  if (typeof entry.name !== "string" || !Array.isArray(entry.plot)) return null;
  const name = entry.name.trim().slice(0, MAX_NAME);
  const pairs = entry.plot.flatMap((pair: unknown) => {
    const [key, text] = Array.isArray(pair) ? pair : [];
    return typeof key === "string" && typeof text === "string" ? [[key, text] as const] : [];
  });
  const plot = plotOfParameters(pairs);
  return name === "" || plot.traces.length + plot.derived.length === 0 ? null : { name, plot };
}

/** Adds plots, in place of those of the same name; `refused`: how many did not find room. The list is in the order of the names. */
export function withSaved(saved: readonly SavedPlot[], more: readonly SavedPlot[]): { saved: SavedPlot[]; refused: number } {
  const all = new Map(saved.map((one) => [one.name, one]));
  let refused = 0;
  for (const one of more) {
    if (all.size < MAX_SAVED || all.has(one.name)) all.set(one.name, one);
    else refused++;
  }
  return { saved: [...all.values()].sort((a, b) => (a.name < b.name ? -1 : 1)), refused };
}

/** Marks a file of saved plots, and its version. */
const FORMAT = "mgr-plots-1";

export function fileOfSaved(saved: readonly SavedPlot[]): string {
  return `${JSON.stringify({ format: FORMAT, plots: storedForm(saved) }, null, 2)}\n`;
}

/** Parses a file of saved plots. Throws with a sentence that says what is wrong with it. */
export function savedOfFile(text: string): SavedPlot[] {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    throw new Error("The file is not JSON. Choose a file that was exported here.", { cause: error });
  }
  const { format, plots }: { format?: unknown; plots?: unknown } = typeof content === "object" && content !== null ? content : {};
  const found = format === FORMAT ? readStored(plots) : null;
  if (found === null)
    throw new Error(`The file has no "format": "${FORMAT}" with a list of "plots". Choose a file that was exported here.`);
  if (found.length === 0) throw new Error("The file has no plot that can be read.");
  return found;
}
