import { visibleJson } from "../../base/visible-text.ts";

/** Of several lines, for people too; or in one line, for what reads one value after the other. */
export function printJson(value: unknown, { oneLine = false } = {}): void {
  process.stdout.write(`${jsonText(value, { oneLine })}\n`);
}

export function jsonText(value: unknown, { oneLine = false } = {}): string {
  return visibleJson(JSON.stringify(value, null, oneLine ? 0 : 2));
}
