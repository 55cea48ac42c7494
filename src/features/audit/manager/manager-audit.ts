import type { Clock } from "../../../base/timing/clock.ts";
import { SerialQueue } from "../../../base/timing/serial-queue.ts";
import { withFallback } from "../../../base/timing/wait.ts";
import type { LogBook } from "../../../log/log-book.ts";
import type { AuditSettings } from "../config.ts";
import type { Audit, AuditPage, AuditRequest } from "./audit.ts";
import { CommandAudit } from "./command-audit.ts";
import { readPage } from "./page-reader.ts";
import { SyslogSender } from "./syslog-sender.ts";
import type { TrailEnd } from "./trail-opening.ts";
import { TrailWriter } from "./trail-writer.ts";

/** Pages that are read or wait at the same time; each reads files. */
const MAX_READERS = 16;
/** Time for which a page waits for the newest records, milliseconds. */
const SAVE_TIMEOUT_MS = 1_000;

export interface ManagerAuditOptions {
  readonly clock: Clock;
  readonly log: Pick<LogBook, "error" | "info" | "warn">;
  readonly folder: string;
  /** The end of the trail, or the reason why it cannot be used. */
  readonly end: TrailEnd | { readonly unusable: string };
  readonly settings: () => AuditSettings;
  readonly instance: string;
}

/** Records commands in the state folder, and reads them. */
export class ManagerAudit implements Audit {
  readonly observer: CommandAudit;
  readonly #options: ManagerAuditOptions;
  readonly #writer: TrailWriter | null;
  readonly #syslog: SyslogSender;
  readonly #readers = new SerialQueue({ max: MAX_READERS, busy: "Too many requests for the audit at once. Try again later." });
  #unrecorded = 0;

  constructor(options: ManagerAuditOptions) {
    const { clock, log, folder, end, settings, instance } = options;
    this.#options = options;
    this.#syslog = new SyslogSender({ target: () => (settings().enabled ? settings().syslog : null), instance, log });
    this.#writer =
      "unusable" in end
        ? null
        : new TrailWriter({
            clock,
            folder,
            end,
            limits: settings,
            warn: (msg) => log.warn(msg),
            onWritten: (line) => this.#syslog.send(line),
            onProblem: (problem) => this.#report(problem),
          });
    this.observer = new CommandAudit({
      clock,
      settings,
      trail: this.#writer ?? { unusable: "unusable" in end ? end.unusable : "" },
      onUnrecorded: () => {
        this.#unrecorded++;
      },
    });
  }

  /** The reason why commands cannot be recorded now. */
  get problem(): string | null {
    const { end, settings } = this.#options;
    if (!settings().enabled) return "The audit is disabled (audit.enabled).";
    return "unusable" in end ? end.unusable : (this.#writer?.problem ?? null);
  }

  /** Number of records that were lost. */
  get unrecorded(): number {
    return this.#unrecorded + (this.#writer?.lost ?? 0);
  }

  /** Number of records that could not be sent to syslog. */
  get unsent(): number {
    return this.#syslog.dropped;
  }

  page(request: AuditRequest): Promise<AuditPage> {
    return this.#readers.run(async () => {
      const { clock, folder } = this.#options;
      // The outcomes of commands that ended before now are on the disk before the files are read.
      const running = new Set(this.observer.running);
      const newest = this.#writer?.seq ?? 0;
      const saved = this.#writer?.saved().catch(() => undefined) ?? Promise.resolve();
      await withFallback(saved, SAVE_TIMEOUT_MS, () => undefined, clock);
      const page = await readPage(folder, request, (id) => running.has(id) || id > newest);
      return { ...page, problem: this.problem, unrecorded: this.unrecorded };
    });
  }

  async close(): Promise<void> {
    this.observer.flush();
    await this.#writer?.close();
    this.#syslog.close();
  }

  #report(problem: string | null): void {
    const { log, settings } = this.#options;
    if (problem === null) {
      log.info("commands are recorded in the audit again");
      return;
    }
    const effect = settings().required ? "they are refused until it works" : "they are carried out nevertheless; their records wait";
    log.error(`commands cannot be recorded in the audit: ${problem}; ${effect}`);
  }
}
