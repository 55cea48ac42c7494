import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { firstIssue, MgrError } from "../../../base/errors.ts";
import { parseJson } from "../../../base/json.ts";
import { openStateFileAsync } from "../../../files/state-file.ts";
import { type CrashReport, crashReport, type StoredSummary, storedSummary } from "../report.ts";

/**
 * A file has two lines of JSON: the summary, then the report. A list of reports reads the first line of each.
 */

/** Longest first line, and longest file, bytes. */
const MAX_SUMMARY_BYTES = 32 * 1024;
export const MAX_REPORT_BYTES = 512 * 1024;
/** The output of a report is not shortened below this, characters. */
const MIN_TEXT = 1_024;

export const FILE_NAME = /^[0-9a-f]{32}-\d{1,15}-\d{1,15}\.crash$/;
/** Left by a daemon that was killed while it wrote. */
export const PARTIAL_NAME = /^\.[0-9a-f]{32}-\d{1,15}-\d{1,15}\.crash\.new$/;

/** Names of processes have slashes, and may be longer than names of files. */
export function fileNameOf({ name, run_id }: Pick<CrashReport, "name" | "run_id">): string {
  return `${createHash("sha256").update(name).digest("hex").slice(0, 32)}-${run_id}.crash`;
}

/** The content of a file. Output and backtrace are shortened until it fits. */
export function encodeReport(report: CrashReport): string {
  const head = JSON.stringify(storedSummary.parse(report));
  for (let shorter = report; ; shorter = shortened(shorter)) {
    const text = `${head}\n${JSON.stringify(shorter)}\n`;
    const isShort = (shorter.output?.text.length ?? 0) <= MIN_TEXT && (shorter.backtrace?.text.length ?? 0) <= MIN_TEXT;
    if (Buffer.byteLength(text) <= MAX_REPORT_BYTES || isShort) return text;
  }
}

/** The longer of output and backtrace is halved: of the output, the newest half stays. */
function shortened(report: CrashReport): CrashReport {
  const { output, backtrace } = report;
  if (backtrace !== null && backtrace.text.length >= (output?.text.length ?? 0))
    return { ...report, backtrace: { text: backtrace.text.slice(0, backtrace.text.length / 2), truncated: true } };
  if (output === null) return report;
  const cut = Math.ceil(output.text.length / 2);
  const lines = output.text.slice(0, cut).split("\n").length - 1;
  const times = output.times.flatMap(({ line, time }) => (line >= lines ? [{ line: line - lines, time }] : []));
  return { ...report, output: { ...output, text: output.text.slice(cut), truncated: true, times } };
}

/** Throws `conflict` for a damaged text. */
export function decodeReport(text: string): CrashReport {
  const { data, error } = crashReport.safeParse(parseJson(text.slice(text.indexOf("\n") + 1)));
  if (error !== undefined) throw new MgrError("conflict", `damaged: ${firstIssue(error)}`);
  return data;
}

/** Reads the summary of a file of the state folder. Rejects with `conflict` for a file that is damaged or not trusted. */
export async function readSummary(path: string): Promise<{ summary: StoredSummary; size: number }> {
  await using file = await openStateFileAsync(path, constants.O_RDONLY);
  const { size } = await file.stat();
  if (size > 2 * MAX_REPORT_BYTES) throw new MgrError("conflict", `${path} is too large for a crash report`);
  const { bytesRead, buffer } = await file.read(Buffer.alloc(MAX_SUMMARY_BYTES), 0, MAX_SUMMARY_BYTES, 0);
  const end = buffer.subarray(0, bytesRead).indexOf("\n");
  const { data, error } = storedSummary.safeParse(end < 0 ? undefined : parseJson(buffer.toString("utf8", 0, end)));
  if (error !== undefined) throw new MgrError("conflict", `${path} is damaged: ${firstIssue(error)}`);
  return { summary: data, size };
}
