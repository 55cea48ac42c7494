import { existsSync } from "node:fs";
import { join } from "node:path";
import { visible } from "../../../base/text/visible-text.ts";
import { CommandFailure, EXIT } from "../../../cli/command/exit-codes.ts";
import { loadInstance } from "../../../cli/manager/configuration.ts";
import { paint, printJson } from "../../../cli/output/table.ts";
import { AUDIT_FOLDER } from "../trail/files.ts";
import { type TrailReport, verifyTrail } from "../trail/verify.ts";

interface VerifyFlags {
  readonly config?: string;
  readonly trustConfig?: boolean;
  readonly folder?: string;
  readonly json?: boolean;
}

/** `mgr audit verify`: checks the chain of the records. */
export async function verify(flags: VerifyFlags): Promise<void> {
  const folder = flags.folder ?? join((await loadInstance(flags.config, flags)).state_dir, AUDIT_FOLDER);
  if (!existsSync(folder)) throw new CommandFailure(EXIT.notFound, `there are no records: ${folder} does not exist`);
  const report = await verifyTrail(folder);
  if (flags.json) printJson(report);
  else for (const line of verdict(folder, report)) console.log(line);
  const { problemCount } = report;
  if (problemCount === 0) return;
  throw new CommandFailure(EXIT.failed, `the chain of the audit is broken in ${problemCount} ${problemCount === 1 ? "place" : "places"}`);
}

/** The result of a check, in lines. */
export function verdict(folder: string, report: TrailReport): string[] {
  const { files, records, first, last, cuts, lost, endsInLine, problems, problemCount } = report;
  const span = first === null || last === null ? "" : `, numbers ${first.seq} to ${last.seq}, ${first.time} to ${last.time} UTC`;
  const more = problemCount - problems.length;
  return [
    visible(`${folder}: ${records} valid records in ${files} ${files === 1 ? "file" : "files"}${span}`),
    ...(cuts === 0 ? [] : [`${cuts} cut by the end of a manager, and marked by the manager after it`]),
    ...(lost === 0 ? [] : [`${lost} lost, because the disk did not take them`]),
    ...(endsInLine ? ["the last line has no end: it is being written, or the manager was killed; the next start marks it"] : []),
    ...problems.map(({ file, line, message }) => paint("red", `${file}${line === null ? "" : `:${line}`}: ${message}`)),
    ...(more === 0 ? [] : [`${more} more problems are not listed`]),
  ];
}
