import { rename, writeFile } from "node:fs/promises";
import { visible } from "../../../base/text/visible-text.ts";
import { CommandFailure, EXIT } from "../../../cli/command/exit-codes.ts";
import { withManager } from "../../../cli/manager/connection.ts";
import type { ConnectionFlags } from "../../../cli/manager/connection-target.ts";
import { withPartialFile } from "../../../cli/manager/partial-file.ts";
import { notFound } from "../../../cli/manager/select.ts";
import { jsonText, printJson, table } from "../../../cli/output/table.ts";
import type { ManagerClient } from "../../../client/manager-client.ts";
import { endText, type NumberedReport, reportText, timeText } from "../client/report-text.ts";
import type { CrashSummary } from "../wire.ts";

export interface CrashFlags extends ConnectionFlags {
  list?: boolean;
  save?: string;
  delete?: boolean;
  json?: boolean;
}

type Listed = CrashSummary & { readonly number: number | null };

/** Crashes of all processes that are listed. */
const MAX_SHOWN = 30;
const RUN_ID = /^\d{1,15}-\d{1,15}$/;

/** `mgr crash [NAME] [RUN]`: shows, saves or deletes crash reports. */
export async function crash(name: string | undefined, run: string | undefined, flags: CrashFlags): Promise<void> {
  checkUsage(name, run, flags);
  await withManager(flags, async (client) => {
    if (name === undefined || flags.list) return list(client, name, flags);
    const run_id = run === undefined ? undefined : await idOf(client, name, run);
    if (flags.delete) return remove(client, name, run_id);
    await show(await reportOf(client, name, run_id), flags);
  });
}

function checkUsage(name: string | undefined, run: string | undefined, { list, save, delete: isDelete, json }: CrashFlags): void {
  const wrong = (message: string) => new CommandFailure(EXIT.usage, message);
  if (name === undefined && (save !== undefined || isDelete)) throw wrong("give the name of a process");
  if (list && (run !== undefined || save !== undefined || isDelete)) throw wrong("--list shows all crashes of a process, and nothing else");
  if (isDelete && (save !== undefined || json)) throw wrong("give --delete alone");
  if (save !== undefined && json) throw wrong("give either --save or --json: a saved report is JSON");
  if (run !== undefined && !RUN_ID.test(run) && !/^\d{1,9}$/.test(run))
    throw wrong(`'${run}' is neither the number nor the id of a run, such as 12 or 7-3`);
}

async function list(client: ManagerClient, name: string | undefined, { json }: CrashFlags): Promise<void> {
  const selection = name === undefined ? { limit: MAX_SHOWN } : { names: [name] };
  const { reports, away } = await client.request({ type: "request_crash_reports", ...selection });
  if (away.length > 0) process.stderr.write(`mgr: not asked, because their daemons cannot be reached: ${visible(away.join(", "))}\n`);
  if (name !== undefined && reports.length === 0) await requireProcess(client, name);
  if (json) printJson(reports);
  else process.stdout.write(`${listText(reports)}\n`);
}

/** A table of crashes, newest first. */
export function listText(reports: readonly Listed[], width?: number): string {
  if (reports.length === 0) return "No crash reports.";
  return table(
    [
      { title: "TIME", text: ({ time }) => timeText(time) },
      { title: "NAME", text: ({ name }) => name },
      { title: "RUN", text: ({ number, run_id }) => (number === null ? run_id : String(number)), right: true },
      { title: "HOST", text: ({ host }) => host, spare: 1 },
      { title: "SKIPPED", text: ({ skipped }) => (skipped === 0 ? "" : String(skipped)), right: true, spare: 2 },
      { title: "END", text: (one) => endText(one) },
    ],
    [...reports],
    width,
  );
}

/** The id of the run with this number, which is known as long as the manager remembers the run. */
async function idOf(client: ManagerClient, name: string, run: string): Promise<string> {
  if (RUN_ID.test(run)) return run;
  const { reports } = await client.request({ type: "request_crash_reports", names: [name] });
  const found = reports.find(({ number }) => number === Number(run));
  if (found === undefined)
    throw new CommandFailure(EXIT.notFound, `there is no crash report of run ${run} of '${name}'; mgr crash --list shows those that exist`);
  return found.run_id;
}

async function reportOf(client: ManagerClient, name: string, run_id: string | undefined): Promise<NumberedReport> {
  const { report } = await client.request({ type: "request_crash_report", name, ...(run_id === undefined ? {} : { run_id }) });
  return report;
}

async function show(report: NumberedReport, { save, json }: CrashFlags): Promise<void> {
  if (save === undefined) {
    if (json) printJson(report);
    else process.stdout.write(reportText(report));
    return;
  }
  const text = save.endsWith(".txt") ? reportText(report) : `${jsonText(report)}\n`;
  await withPartialFile(save, async (part) => {
    await writeFile(part, text, { mode: 0o600, flag: "wx" });
    await rename(part, save);
  });
  process.stdout.write(`${visible(save)}\n`);
}

async function remove(client: ManagerClient, name: string, run_id: string | undefined): Promise<void> {
  const { deleted, away } = await client.request({
    type: "delete_crash_reports",
    name,
    ...(run_id === undefined ? {} : { run_ids: [run_id] }),
  });
  if (deleted === 0) await requireProcess(client, name);
  const left = away.length === 0 ? "" : `; not on ${away.join(", ")}, whose daemons cannot be reached`;
  process.stdout.write(`${visible(`${deleted} crash reports deleted${left}`)}\n`);
}

/** Fails with a suggestion if there is no process of this name. */
async function requireProcess(client: ManagerClient, name: string): Promise<void> {
  const { processes } = await client.snapshot();
  if (!processes.some((process) => process.name === name))
    throw notFound(`there is no process '${name}', and no crash report of it`, name, processes, { word: "process", list: "mgr ps" });
}
