/** Headers of a sample that its host kept while the link was cut (docs/store-forward.md). Brokers write them, subscribers read them. */

/** When the broker of its host received the sample, nanoseconds since 1970. */
export const LATE = "Mgr-Late";
/** `<log> <index> <first>`: place of the sample among those that its host kept, and of the first one that was sent with it. */
export const LATE_INDEX = "Mgr-Late-Index";

const INDEX = /^(\S{1,64}) (\d{1,15}) (\d{1,15})$/;

export function parseLateIndex(text: string): { readonly log: string; readonly index: number; readonly first: number } | null {
  const [, log, index, first] = INDEX.exec(text) ?? [];
  return log === undefined ? null : { log, index: Number(index), first: Number(first) };
}
