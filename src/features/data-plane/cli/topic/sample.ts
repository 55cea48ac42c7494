import { Document, isScalar, visit } from "yaml";
import { parseJson } from "../../../../base/json.ts";
import { visible, visibleLines } from "../../../../base/text/visible-text.ts";
import { jsonText } from "../../../../cli/output/table.ts";
import { type FieldPath, fieldAt, fieldPathText, leavesOf } from "../../field-path.ts";
import { jsonText as valueText } from "../../samples/json-text.ts";

/** One message of a topic. */
export interface Sample {
  readonly value: unknown;
  /** Time of publishing, else of arrival; nanoseconds since 1970. */
  readonly time: bigint;
  /** The publisher's counter; null if it is unknown. */
  readonly seq: number | null;
}

/** Maximum number of columns of a table; further fields are left out. */
const MAX_COLUMNS = 1_000;
const NS = 1_000_000_000n;
/** Line width of YAML, characters; lists of numbers are on one line if they fit. */
const LINE_WIDTH = 100;

/** A payload without a definition may still be JSON; else it is shown as text or base64. */
export function readable(value: unknown): unknown {
  if (!(value instanceof Uint8Array)) return value;
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  const text = bytes.toString("utf8");
  const parsed = parseJson(text);
  if (parsed !== undefined) return parsed;
  return Buffer.from(text, "utf8").equals(bytes) ? text : bytes.toString("base64");
}

/** Writes samples as text, each with a newline at its end. */
export type SampleFormat = (sample: Sample) => string;

/** Writes YAML documents. */
export function asYaml(): SampleFormat {
  return ({ value }) => `${visibleLines(yamlText(value))}---\n`;
}

/** Writes one JSON object per line. With `field`, `value` is that field. */
export function asJson(field: FieldPath | null): SampleFormat {
  return ({ value, time, seq }) => {
    const picked = field === null ? value : fieldAt(value, field);
    return `${jsonText(plain({ time: secondsText(time), seq, value: picked ?? null }), { oneLine: true })}\n`;
  };
}

/** Writes the value of one field per line; "" for a sample that does not have it. */
export function asField(field: FieldPath): SampleFormat {
  return ({ value }) => {
    const picked = fieldAt(value, field);
    return picked === undefined ? "" : `${scalarText(picked)}\n`;
  };
}

/**
 * Writes a line of titles, then one line per sample. The columns are those of the first sample, so that all lines have the same number; with
 * `field`, those below it.
 */
export function asCsv(field: FieldPath | null): SampleFormat {
  let columns: readonly FieldPath[] | null = null;
  return ({ value, time, seq }) => {
    const picked = field === null ? value : fieldAt(value, field);
    let head = "";
    if (columns === null) {
      if (picked === undefined) return "";
      columns = leavesOf(picked, MAX_COLUMNS).map(({ path }) => path);
      const names = columns.map((path) => visible(fieldPathText([...(field ?? []), ...path])) || "value");
      head = `${["time", "seq", ...names].map(csvCell).join(",")}\n`;
    }
    const cells = columns.map((path) => {
      const cell = path.length === 0 ? picked : fieldAt(picked, path);
      return cell === undefined || cell === null ? "" : scalarText(cell);
    });
    return `${head}${[secondsText(time), seq === null ? "" : String(seq), ...cells].map(csvCell).join(",")}\n`;
  };
}

/** Formats seconds since 1970 with all digits. */
export function secondsText(time: bigint): string {
  return `${time / NS}.${String(time % NS).padStart(9, "0")}`;
}

function scalarText(value: unknown): string {
  return visible(typeof value === "object" ? valueText(value) : String(value));
}

/** Converts types that only this program knows (large integers, typed arrays). */
function plain(value: unknown): unknown {
  return parseJson(valueText(value));
}

function yamlText(value: unknown): string {
  const document = new Document(plain(value));
  visit(document, {
    Seq(_key, list) {
      list.flow = list.items.every(isScalar);
    },
  });
  return document.toString({ lineWidth: LINE_WIDTH, flowCollectionPadding: false });
}

function csvCell(text: string): string {
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
