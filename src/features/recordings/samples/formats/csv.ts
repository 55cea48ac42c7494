import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { ZipArchive } from "archiver";
import { jsonText } from "../../../data-plane/samples/json-text.ts";
import { safeInSpreadsheets } from "../../../data-plane/samples/spreadsheet-text.ts";
import { type Column, isNumeric } from "../columns/column.ts";
import { type TopicTable, topicTable } from "../columns/topic-table.ts";
import type { FormatWriter } from "../samples.ts";
import { fileIndex, fileNames } from "./file-index.ts";
import { progress } from "./progress.ts";
import { columnsOf } from "./write-columns.ts";

/** Number of characters that are passed to the archive at a time. */
const PIECE_LENGTH = 64 * 1024;

/** A zip with `index.json` and one file of comma-separated values a topic (docs/recordings.md, "csv"). */
export const writeCsv: FormatWriter = async (logger, path, options = {}) => {
  const onSample = progress(logger, 2, options);
  const files = fileNames(logger, ".csv");
  // zip64, because the sizes are not known in advance and may exceed 4 GiB.
  const archive = new ZipArchive({ forceZip64: true, zlib: { level: 1 } });
  const output = createWriteStream(path, { mode: 0o600 });
  const failed = new Promise<never>((_, reject) => {
    archive.once("error", reject);
    output.once("error", reject);
  });
  archive.pipe(output);
  const problems: (string | null)[] = [];
  const write = async () => {
    for (const [index, source] of logger.topics.entries()) {
      const table = await topicTable(source, onSample);
      problems.push(table.problem);
      const added = once(archive, "entry");
      const text = Readable.from(lines(table, options.forSpreadsheets ? safeInSpreadsheets : (text) => text));
      const broken = new Promise<never>((_, reject) => text.once("error", reject));
      archive.append(text, { name: files[index] ?? "" });
      await Promise.race([added, broken]);
    }
    archive.append(
      fileIndex(logger, files, (_, index) => ({ problem: problems[index] ?? null })),
      { name: "index.json" },
    );
    await Promise.all([archive.finalize(), finished(output)]);
  };
  try {
    await Promise.race([write(), failed]);
  } finally {
    output.destroy();
  }
};

/** The lines of a table. `text` converts text; numbers are written as they are. */
async function* lines(table: TopicTable, text: (value: string) => string): AsyncGenerator<string> {
  const columns = columnsOf(table);
  yield line(
    columns.flatMap(({ name, shape }) =>
      typeof shape === "number" ? Array.from({ length: shape }, (_, at) => text(`${name}[${at}]`)) : [text(name)],
    ),
  );
  let piece = "";
  for await (const cells of table.rows()) {
    piece += line(columns.flatMap((column, at) => (isNumber(column) ? texts(column, cells[at]) : texts(column, cells[at]).map(text))));
    if (piece.length < PIECE_LENGTH) continue;
    yield piece;
    piece = "";
  }
  yield piece;
}

/** Whether the cells are numbers; lists of variable length are text: JSON, or base64. */
function isNumber({ element, shape }: Column): boolean {
  return isNumeric(element) && shape !== "variable";
}

function texts({ element, shape }: Column, value: unknown): string[] {
  if (value instanceof Uint8Array) return shape === "variable" ? [Buffer.from(value).toString("base64")] : Array.from(value, String);
  if (shape === "variable")
    return [isNumeric(element) ? `[${Array.from(value as ArrayLike<unknown>, jsonNumber).join(",")}]` : jsonText(value)];
  if (shape !== "scalar") return Array.from(value as ArrayLike<unknown>, (each) => (isNumeric(element) ? numberText(each) : String(each)));
  return [isNumeric(element) ? numberText(value) : String(value)];
}

/** JSON has no NaN and no infinities: they are text. */
function jsonNumber(value: unknown): string {
  if (typeof value === "number" && !Number.isFinite(value)) return `"${value}"`;
  return Object.is(value, -0) ? "-0.0" : numberText(value);
}

/** A number as Python, MATLAB and spreadsheets read it. */
function numberText(value: unknown): string {
  if (typeof value === "boolean") return value ? "1" : "0";
  if (typeof value !== "number" || Number.isFinite(value)) return Object.is(value, -0) ? "-0" : String(value);
  return Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

function line(cells: readonly string[]): string {
  return `${cells.map((cell) => (/[",\r\n]|^\s|\s$|^$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(",")}\r\n`;
}
