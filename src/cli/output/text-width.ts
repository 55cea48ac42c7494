import stringWidth from "string-width";
import { visible } from "../../base/text/visible-text.ts";

/** Created when it is needed: creation takes 10 ms. */
let graphemes: Intl.Segmenter | null = null;

/** Exactly `width` columns of a terminal: cut with an ellipsis, or padded. Characters that would act on the terminal are made visible. */
export function inColumns(text: string, width: number, right = false): string {
  const clean = visible(text);
  const own = stringWidth(clean);
  if (own <= width) return right ? " ".repeat(width - own) + clean : clean + " ".repeat(width - own);
  if (width < 1) return "";
  let taken = "";
  let used = 0;
  graphemes ??= new Intl.Segmenter();
  for (const { segment } of graphemes.segment(clean)) {
    const columns = stringWidth(segment);
    if (used + columns > width - 1) break;
    taken += segment;
    used += columns;
  }
  return `${taken}…${" ".repeat(width - 1 - used)}`;
}
