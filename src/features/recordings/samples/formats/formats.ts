import type { FormatWriter } from "../samples.ts";

/** The formats in which samples can be downloaded, besides MCAP. Writers are loaded when they are needed. */
export const SAMPLE_FORMATS = {
  csv: { ending: ".zip", writer: async () => (await import("./csv.ts")).writeCsv },
  pickle: { ending: ".pickle", writer: async () => (await import("./pickle.ts")).writePickle },
  matlab: { ending: ".mat", writer: async () => (await import("./matlab.ts")).writeMatlab },
  raw: { ending: ".tar", writer: async () => (await import("./raw.ts")).writeRaw },
} as const satisfies Readonly<Record<string, { readonly ending: string; readonly writer: () => Promise<FormatWriter> }>>;
export type SampleFormat = keyof typeof SAMPLE_FORMATS;
