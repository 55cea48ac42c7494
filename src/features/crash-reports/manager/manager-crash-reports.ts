import type { DomainEvents } from "../../../actors/domain-events.ts";
import { askAllHosts } from "../../../app/hosts/all-hosts.ts";
import { HostParts } from "../../../app/hosts/host-parts.ts";
import type { HostSession } from "../../../app/hosts/host-session.ts";
import type { HostTable } from "../../../app/hosts/host-table.ts";
import { readList } from "../../../app/hosts/list-reader.ts";
import { MgrError } from "../../../base/errors.ts";
import { parseJson } from "../../../base/json.ts";
import { compileFnmatch } from "../../../base/patterns/fnmatch.ts";
import { quoteWords } from "../../../base/text/shell-words.ts";
import type { Clock } from "../../../base/timing/clock.ts";
import { runId } from "../../../contract/fields.ts";
import type { LogBook } from "../../../log/log-book.ts";
import { formatTime } from "../../../protocol/time.ts";
import { contains, type ViewMode } from "../../../transport/view.ts";
import { summaryPage, textPage } from "../contract.ts";
import { DEFAULT_LISTED, MAX_LISTED } from "../limits.ts";
import { type CrashReport, type CrashSummary, crashReport } from "../report.ts";
import type { CrashReports, Deleted, Report, Reports, ReportsRequest, RunsOf } from "./crash-reports.ts";

interface ManagerCrashReportsOptions {
  readonly clock: Clock;
  readonly hosts: HostTable;
  readonly events: DomainEvents;
  readonly log: Pick<LogBook, "info">;
}

/** Requests crash reports of the hosts, which keep them. */
export class ManagerCrashReports implements CrashReports {
  readonly #options: ManagerCrashReportsOptions;
  readonly #parts: HostParts<{ session: HostSession; close(): void }>;

  constructor(options: ManagerCrashReportsOptions) {
    this.#options = options;
    const { hosts, events } = options;
    this.#parts = new HostParts({
      hosts,
      events,
      make: (host, session) => ({
        session,
        close: session.link.listen({ onNews: { crash_report: (report) => this.#made({ ...report, host }) } }),
      }),
      begin: () => {},
      removed: () => {},
    });
  }

  async list({ names, pattern, limit = DEFAULT_LISTED }: ReportsRequest, view: ViewMode, runsOf: RunsOf): Promise<Reports> {
    const selection = selected(names, pattern, view);
    const { answers, away } = await askAllHosts(this.#options.hosts, async (session) => {
      const page = await session.command((id) => session.link.request("crash_reports", { session: id, ...selection, limit: MAX_LISTED }));
      return readList(session, page, summaryPage);
    });
    const reports = answers
      .flatMap(({ host, value }) => value.flatMap((summary) => (contains(view, summary.name) ? { ...summary, host } : [])))
      .sort((a, b) => (a.time === b.time ? (a.name < b.name ? -1 : 1) : a.time < b.time ? 1 : -1))
      .slice(0, limit);
    const numbers = new Map<string, Map<string, number>>();
    for (const { name } of reports)
      if (!numbers.has(name)) numbers.set(name, new Map(runsOf(name).map(({ run_id, number }) => [run_id, number])));
    return { reports: reports.map((report) => ({ ...report, number: numbers.get(report.name)?.get(report.run_id) ?? null })), away };
  }

  async one(name: string, run_id: string | undefined, runsOf: RunsOf): Promise<Report> {
    if (run_id !== undefined && !isRunId(run_id)) throw notFound(name, run_id, []);
    const { answers, away } = await askAllHosts(this.#options.hosts, async (session) => {
      const request = { name, run_id: run_id ?? null };
      const page = await session.command((id) => session.link.request("crash_report", { session: id, ...request }));
      return reportIn(await readList(session, page, textPage));
    });
    const found = answers.flatMap(({ host, value }) => (value === null || value.name !== name ? [] : { ...value, host }));
    const newest = found.reduce<CrashReport | null>((best, each) => (best === null || each.time > best.time ? each : best), null);
    if (newest === null) throw notFound(name, run_id, away);
    const number = runsOf(name).find((run) => run.run_id === newest.run_id)?.number ?? null;
    return { ...newest, number };
  }

  async delete(name: string, run_ids: readonly string[] | undefined): Promise<Deleted> {
    const { answers, away } = await askAllHosts(this.#options.hosts, (session) => {
      const request = { name, run_ids: run_ids?.filter(isRunId) ?? null };
      return session.command((id) => session.link.request("delete_crash_reports", { session: id, ...request }));
    });
    return { deleted: answers.reduce((sum, { value }) => sum + value.deleted, 0), away };
  }

  close(): void {
    this.#parts.close();
  }

  #made(report: CrashSummary): void {
    const { clock, events, log } = this.#options;
    // The second message about a report is about its backtrace.
    if (!report.has_backtrace)
      log.info(`a crash report of '${report.name}' was made (${quoteWords(["mgr", "crash", report.name, report.run_id])})`, [report.name]);
    events.publish({ type: "crash_report_made", report, ts: formatTime(clock.now()) });
  }
}

/** No host has a report of anything else. */
const isRunId = (id: string): boolean => runId.safeParse(id).success;

/** Without names and pattern it is everything in view. */
function selected(names: readonly string[] | undefined, pattern: string | undefined, view: ViewMode) {
  const inView = (names ?? []).filter((name) => contains(view, name));
  const wanted = pattern ?? (names === undefined ? "*" : null);
  // The only process in view need not be searched for.
  if (wanted !== null && view.kind === "single_process")
    return { names: compileFnmatch(wanted)(view.name) ? [...inView, view.name] : inView, pattern: null };
  return { names: inView, pattern: wanted };
}

/** Null: the host has none. Throws if it is not a report. */
function reportIn(parts: readonly string[]): CrashReport | null {
  return parts.length === 0 ? null : crashReport.parse(parseJson(parts.join("")));
}

function notFound(name: string, run_id: string | undefined, away: readonly string[]): MgrError {
  const what = run_id === undefined ? `there is no crash report of '${name}'` : `there is no crash report of run ${run_id} of '${name}'`;
  const hint = away.length === 0 ? "" : `; not asked, because their daemons cannot be reached: ${away.join(", ")}`;
  return new MgrError("not_found", `${what}${hint}`);
}
