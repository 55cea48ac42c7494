import { visible } from "../../base/visible-text.ts";

/** Characters that take two columns of a terminal: East Asian wide ones, and pictures. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|[\u{20000}-\u{3fffd}]/u;
/** Characters that take none: they change the one before. */
const ZERO = /[\p{Mn}\p{Me}\p{Cf}]/u;

const columnsOf = (character: string): number => (ZERO.test(character) ? 0 : WIDE.test(character) ? 2 : 1);

/** How many columns of a terminal a text takes. */
export function textWidth(text: string): number {
  let width = 0;
  for (const character of text) width += columnsOf(character);
  return width;
}

/** Exactly `width` columns: cut with an ellipsis, or padded. What would act on the terminal is shown instead. */
export function inColumns(text: string, width: number, right = false): string {
  const clean = visible(text);
  const own = textWidth(clean);
  if (own <= width) return right ? " ".repeat(width - own) + clean : clean + " ".repeat(width - own);
  if (width < 1) return "";
  let taken = "";
  let used = 0;
  for (const character of clean) {
    const columns = columnsOf(character);
    if (used + columns > width - 1) break;
    taken += character;
    used += columns;
  }
  return `${taken}…${" ".repeat(width - 1 - used)}`;
}
