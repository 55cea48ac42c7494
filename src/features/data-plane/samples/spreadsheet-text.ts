/** Beginnings of cells that spreadsheets evaluate; they skip blanks before them. */
const FORMULA = /^[\s]*[=+\-@]/;

/** The text with an apostrophe before it if a spreadsheet would evaluate it. */
export function safeInSpreadsheets(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}
