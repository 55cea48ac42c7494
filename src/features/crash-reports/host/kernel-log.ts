import { closeSync, constants, openSync, readlinkSync, readSync } from "node:fs";
import { messageOf } from "../../../base/errors.ts";
import { SlicedWork, type Steps } from "../../../base/timing/turns.ts";
import { formatTime } from "../../../protocol/time.ts";
import { type KernelRecord, parseRecord, pidsNamedIn } from "./kernel-record.ts";

/** Maximum time of one turn of the event loop, milliseconds: the log may have thousands of records. */
const SLICE_MS = 2;
/** Size of a read: one record, which has 8 KiB at most, bytes. */
const RECORD_BYTES = 16 * 1024;
/** Records of one reading: a kernel that logs without end does not keep it busy. */
const MAX_RECORDS = 50_000;
/** Records that name a pid and are kept for later crashes. */
const MAX_KEPT = 1_000;
/** Lines of one report. */
const MAX_LINES = 50;
/** The clock of the kernel's log and the wall clock differ by less, milliseconds. */
const TOLERANCE_MS = 10_000;
/** The pid namespace of the machine (PROC_PID_INIT_INO of the kernel): its log has the pids of that one. */
const FIRST_PID_NAMESPACE = "pid:[4026531836]";

interface KernelLogOptions {
  readonly path?: string;
  readonly pidNamespace?: () => string;
}

interface Wanted {
  readonly pid: number;
  /** Wall clock, milliseconds. */
  readonly from: number;
  readonly until: number;
}

export interface KernelLines {
  readonly lines: { readonly time: string; readonly text: string }[];
  readonly log_problem: string | null;
}

/** The kernel's log, read when a process has crashed: then what has been added since. */
export class KernelLog {
  readonly #path: string;
  readonly #pidNamespace: () => string;
  readonly #work = new SlicedWork({ ms: SLICE_MS });
  readonly #buffer = Buffer.allocUnsafe(RECORD_BYTES);
  #kept: { readonly record: KernelRecord; readonly pids: readonly number[] }[] = [];
  #fd: number | null = null;

  constructor({ path = "/dev/kmsg", pidNamespace = () => readlinkSync("/proc/self/ns/pid") }: KernelLogOptions = {}) {
    this.#path = path;
    this.#pidNamespace = pidNamespace;
  }

  /** Lines that name the pid, from the time in which the run had it. Never rejects. */
  async lines({ pid, from, until }: Wanted): Promise<KernelLines> {
    try {
      if (this.#pidNamespace() !== FIRST_PID_NAMESPACE)
        return { lines: [], log_problem: "the host daemon runs in a container: the kernel's log has other pids" };
      // Non-blocking: at the end of the log, and of a pipe that was put in its place, a read would wait.
      this.#fd ??= openSync(this.#path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
      await this.#work.run(this.#read(this.#fd));
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? "";
      const hint = code === "EPERM" || code === "EACCES" ? "; the daemon needs CAP_SYSLOG, or kernel.dmesg_restrict has to be 0" : "";
      return { lines: [], log_problem: `${this.#path} cannot be read: ${messageOf(error)}${hint}` };
    }
    const offset = Date.now() - Number(process.hrtime.bigint() / 1_000_000n);
    const lines = this.#kept.flatMap(({ record, pids }) => {
      const time = offset + record.micros / 1_000;
      const isWithin = time >= from - TOLERANCE_MS && time <= until + TOLERANCE_MS;
      return isWithin && pids.includes(pid) ? [{ time: formatTime(time), text: record.text }] : [];
    });
    return { lines: lines.slice(-MAX_LINES), log_problem: null };
  }

  close(): void {
    this.#work.close();
    if (this.#fd !== null) closeSync(this.#fd);
    this.#fd = null;
  }

  *#read(fd: number): Steps {
    for (let count = 0; count < MAX_RECORDS && this.#fd === fd; count++) {
      const record = this.#next(fd);
      if (record === "end") return;
      if (record !== null) this.#keep(record);
      yield;
    }
  }

  /** Null: a record that was overwritten, or cannot be read. */
  #next(fd: number): KernelRecord | "end" | null {
    try {
      const length = readSync(fd, this.#buffer, 0, this.#buffer.length, null);
      return length === 0 ? "end" : parseRecord(this.#buffer.toString("utf8", 0, length));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EAGAIN") return "end";
      if (code === "EPIPE") return null;
      throw error;
    }
  }

  #keep(record: KernelRecord): void {
    const pids = pidsNamedIn(record.text);
    if (pids.length === 0) return;
    this.#kept.push({ record, pids });
    if (this.#kept.length > 2 * MAX_KEPT) this.#kept = this.#kept.slice(-MAX_KEPT);
  }
}
