import { release } from "node:os";
import { resolve } from "node:path";
import { MgrError, messageOf } from "../../../base/errors.ts";
import { SerialQueue } from "../../../base/timing/serial-queue.ts";
import { withTimeout } from "../../../base/timing/wait.ts";
import type { RingStore } from "../../../daemon/output/ring-store.ts";
import { accountOf } from "../../../daemon/process/accounts.ts";
import { formatTime } from "../../../protocol/time.ts";
import type { CrashReport, CrashSummary } from "../report.ts";
import type { Backtraces } from "./backtrace.ts";
import { findCore } from "./core-file.ts";
import type { Crash } from "./crash.ts";
import { describeExecutable } from "./executable.ts";
import type { KernelLog } from "./kernel-log.ts";
import { lastOutput } from "./last-output.ts";
import { parseLimits } from "./process-limits.ts";
import type { ReportStore } from "./report-store.ts";

/** Longest time for one source of a report, milliseconds: a disk may hang. */
const SOURCE_MS = 10_000;
/** Crashes whose reports wait. */
const MAX_WAITING = 200;
/** Longest command and reason, characters. */
const MAX_TEXT = 16_384;

export type Load = (name: string, range: { from: number; until: number }) => Promise<NonNullable<CrashReport["resources"]> | null>;

interface CollectorOptions {
  readonly host: string;
  readonly rings: Pick<RingStore, "find">;
  readonly load: Load;
  readonly kernel: Pick<KernelLog, "lines">;
  readonly backtraces: Pick<Backtraces, "obstacle" | "of">;
  readonly store: Pick<ReportStore, "add">;
  readonly made: (report: CrashSummary) => void;
  readonly core?: typeof findCore;
}

/** Makes the reports, one after the other, in turns of their own: the end of a run was reported before. */
export class Collector {
  readonly #options: CollectorOptions;
  readonly #queue = new SerialQueue({ max: 1 + MAX_WAITING, busy: "too many processes crashed at once" });
  #isClosed = false;

  constructor(options: CollectorOptions) {
    this.#options = options;
  }

  /** Resolves when the report is kept. Rejects with `busy` if too many wait. The backtrace is added later. */
  async collect(crash: Crash, skipped: number): Promise<void> {
    const now = Date.now();
    // Copied at once: the next run may print much.
    const output = crash.output && lastOutput(this.#ringOf(crash), { ...crash.output, now });
    await this.#queue.run(async () => {
      if (this.#isClosed) return;
      const { store, made } = this.#options;
      const report = await this.#report(crash, { output, skipped });
      made(await store.add(report));
      if (report.core !== null && report.backtrace_problem === RUNNING) void this.#addBacktrace(crash, report);
    });
  }

  /** Drops what waits; resolves when the report in progress is kept. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#queue.run(() => {}).catch(() => undefined);
  }

  #ringOf({ spec }: Crash) {
    const ring = this.#options.rings.find(spec.name);
    if (ring === undefined) throw new MgrError("internal", `'${spec.name}' has run without an output ring`);
    return ring;
  }

  async #report(crash: Crash, { output, skipped }: { output: CrashReport["output"]; skipped: number }): Promise<CrashReport> {
    const { spec, seen, pid } = crash;
    const executable = seen?.executable ?? null;
    const [load, kernel, core, described] = await Promise.all([
      settled(this.#load(crash)),
      this.#kernelLines(crash),
      settled(pid === null ? Promise.resolve({ core: null, core_problem: null }) : this.#core(crash)),
      settled(executable === null ? Promise.resolve(null) : describeExecutable(executable)),
    ]);
    const found = core.value ?? { core: null, core_problem: core.problem };
    const backtrace_problem =
      found.core === null
        ? null
        : (this.#options.backtraces.obstacle({ executable: executable?.path ?? null, uid: userOf(crash).uid }) ?? RUNNING);
    return {
      name: spec.name,
      host: this.#options.host,
      run_id: crash.runId,
      time: formatTime(crash.endTime),
      start_time: crash.startTime === null ? null : formatTime(crash.startTime),
      pid,
      code: crash.code,
      signal: crash.signal,
      reason: crash.reason?.slice(0, MAX_TEXT) ?? null,
      dumped_core: crash.dumpedCore,
      has_backtrace: false,
      skipped,
      restarts: spec.crash?.restarts ?? null,
      command: spec.command.slice(0, MAX_TEXT),
      cwd: folderOf(crash),
      user: spec.user,
      output,
      resources: load.value ?? null,
      resources_problem: load.problem ?? (load.value === null ? "nothing was measured of it: processes are measured every 10 s" : null),
      limits: seen?.limits == null ? null : parseLimits(seen.limits),
      kernel: { ...kernel, ...crash.oom },
      ...found,
      backtrace: null,
      backtrace_problem,
      versions: { definition: crash.specHash, executable: described.value ?? null, kernel: release() },
    };
  }

  async #load({ spec, startTime, endTime }: Crash): Promise<CrashReport["resources"]> {
    return startTime === null ? null : this.#options.load(spec.name, { from: startTime, until: endTime });
  }

  async #kernelLines({ pid, startTime, endTime }: Crash): Promise<Pick<CrashReport["kernel"], "lines" | "log_problem">> {
    if (pid === null) return { lines: [], log_problem: null };
    return this.#options.kernel.lines({ pid, from: startTime ?? endTime, until: endTime });
  }

  async #core(crash: Crash) {
    const { core = findCore } = this.#options;
    const { pid, signal, dumpedCore, startTime, endTime, seen } = crash;
    const run = { pid: pid ?? 0, signal, dumpedCore, executable: seen?.executable?.path ?? null, cwd: folderOf(crash) };
    return core({ ...run, ...userOf(crash), from: startTime ?? endTime, until: endTime });
  }

  async #addBacktrace(crash: Crash, report: CrashReport): Promise<void> {
    const { backtraces, store, made } = this.#options;
    const { executable } = report.versions;
    if (report.core === null || executable === null) return;
    const trace = await backtraces.of({ executable: executable.path, core: report.core.path, ...userOf(crash) });
    if (this.#isClosed) return;
    made(await store.add({ ...report, ...trace, has_backtrace: trace.backtrace !== null }));
  }
}

/** Shown until gdb has ended; it stays if the daemon ends first. */
const RUNNING = "gdb has not ended yet, or the host daemon ended before it";

const folderOf = ({ spec }: Crash): string => resolve(spec.base_dir, spec.cwd);

/** The user that the process was started as. */
function userOf({ spec }: Crash): { uid: number; gid: number } {
  const own = { uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0 };
  try {
    const account = accountOf(spec.user);
    return account === null ? own : { uid: account.uid, gid: account.gid };
  } catch {
    // The account was removed: nothing is run as another user in its place.
    return { uid: 0, gid: 0 };
  }
}

/** A source that fails, or takes too long, does not hold up the report. */
async function settled<T>(source: Promise<T>): Promise<{ value: T | undefined; problem: string | null }> {
  const late = () => new Error(`it took longer than ${SOURCE_MS / 1_000} s`);
  try {
    return { value: await withTimeout(source, SOURCE_MS, late), problem: null };
  } catch (error) {
    return { value: undefined, problem: messageOf(error) };
  }
}
