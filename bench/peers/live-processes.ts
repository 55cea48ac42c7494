import { execFileSync } from "node:child_process";
import { constants, mkdtempSync, openSync, rmSync } from "node:fs";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { sleep } from "../support/figure.ts";

/** How long processes may take to start or to end, milliseconds. */
const TIMEOUT_MS = 110_000;
const CHECK_INTERVAL_MS = 1;

/**
 * The processes of one process manager, as they announce themselves through a FIFO: the same proof of life for every peer, without
 * polling and without asking the manager that is measured.
 */
export class LiveProcesses implements Disposable {
  readonly count: number;
  readonly dir: string;
  readonly #program: string;
  readonly #fifo: string;
  readonly #socket: Socket;
  /** By number. */
  readonly #pids: (number | undefined)[] = [];
  #waiting: (() => void) | null = null;

  constructor(count: number) {
    this.count = count;
    this.dir = mkdtempSync(join(tmpdir(), "mgr-peers-"));
    this.#program = join(this.dir, "live");
    this.#fifo = join(this.dir, "live.fifo");
    execFileSync("gcc", ["-O2", "-o", this.#program, fileURLToPath(new URL("live.c", import.meta.url))]);
    execFileSync("mkfifo", [this.#fifo]);
    // Also open for writing, so that it does not end while no process has it open.
    this.#socket = new Socket({ fd: openSync(this.#fifo, constants.O_RDWR | constants.O_NONBLOCK), readable: true, writable: false });
    let rest = "";
    this.#socket.setEncoding("latin1").on("data", (text: string) => {
      const lines = `${rest}${text}`.split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const [number, pid] = line.split(" ").map(Number);
        if (number !== undefined && pid !== undefined) this.#pids[number] = pid;
      }
      this.#waiting?.();
    });
  }

  command(number: number): string[] {
    return [this.#program, this.#fifo, String(number)];
  }

  pid(number: number): number {
    const pid = this.#pids[number];
    if (pid === undefined) throw new Error(`process ${number} has not started`);
    return pid;
  }

  async untilAllLive(): Promise<void> {
    await this.#until(() => this.#pids.length === this.count && !this.#pids.includes(undefined));
  }

  /** Until `number` has another pid than `old`. */
  async untilNew(number: number, old: number): Promise<void> {
    await this.#until(() => this.pid(number) !== old);
  }

  /** Until each has ended and was reaped by its manager. */
  async untilAllGone(): Promise<void> {
    const end = performance.now() + TIMEOUT_MS;
    const pids = this.#pids.filter((pid) => pid !== undefined);
    while (pids.length > 0) {
      const last = pids.at(-1);
      if (last === undefined || !exists(last)) pids.pop();
      else if (performance.now() > end) throw new Error(`${pids.length} processes did not end`);
      else await sleep(CHECK_INTERVAL_MS);
    }
    this.#pids.length = 0;
  }

  [Symbol.dispose](): void {
    this.#socket.destroy();
    for (const pid of this.#pids) if (pid !== undefined && exists(pid)) process.kill(pid, "SIGKILL");
    rmSync(this.dir, { recursive: true, force: true });
  }

  #until(test: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting = null;
        reject(new Error(`processes did not start: ${this.#pids.filter(Boolean).length} of ${this.count} have`));
      }, TIMEOUT_MS);
      const look = () => {
        if (!test()) return;
        clearTimeout(timer);
        this.#waiting = null;
        resolve();
      };
      this.#waiting = look;
      look();
    });
  }
}

export function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
