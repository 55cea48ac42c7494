/** Beginnings of cells that spreadsheets evaluate; blanks before them are skipped. */
const FORMULA = /^[\s]*[=+\-@]/;

/** Puts an apostrophe before text that a spreadsheet would evaluate. */
export function safeInSpreadsheets(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}
