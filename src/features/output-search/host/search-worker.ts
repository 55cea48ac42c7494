import { readFile } from "node:fs/promises";
import { Worker } from "node:worker_threads";
import { MgrError, messageOf } from "../../../base/errors.ts";
import type { SearchStop } from "../limits.ts";
import type { LineHit } from "./worker/line-search.ts";
import type { SearchJob, SearchReply, SearchSettings } from "./worker/messages.ts";
import { cpuMsOf } from "./worker/thread-time.ts";
import { workerSource } from "./worker-source.ts";

/** Heap limits in MiB: a large pattern or a long line must not take the memory of the host. */
const LIMITS = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 };
/** The thread checks its processor time between parts of the output. One that does not come to it is ended this much later, milliseconds. */
const GRACE_CPU_MS = 2_000;
const WATCH_MS = 500;

interface WorkerListener {
  readonly onFound: (hits: readonly LineHit[], bytes: number) => void;
}

/** The outcome of a job. */
interface JobResult {
  /** The search is over. */
  readonly stop: SearchStop | null;
  readonly problem: string | null;
}

type Waiting = { readonly resolve: (reply: SearchReply) => void; readonly reject: (error: Error) => void };

/** The worker thread of one search. Its methods reject when the thread has ended. */
export class SearchWorker {
  readonly #worker: Worker;
  readonly #settings: SearchSettings;
  readonly #listener: WorkerListener;
  /** Resolves when the thread is gone, and with it all that it does with open files. */
  readonly ended: Promise<void>;
  #waiting: Waiting | null = null;
  #failure: Error | null = null;
  #thread = 0;
  #cpuMs = 0;
  #timer: NodeJS.Timeout | null = null;
  #isOverdue = false;

  private constructor(settings: SearchSettings, listener: WorkerListener) {
    this.#settings = settings;
    this.#listener = listener;
    this.#worker = new Worker(workerSource(), { eval: true, workerData: settings, resourceLimits: LIMITS, execArgv: [] });
    this.#worker.on("message", (reply: SearchReply) => this.#receive(reply));
    this.#worker.on("error", (error) => this.#fail(failureOf(error)));
    this.ended = new Promise((resolve) => {
      this.#worker.once("exit", () => {
        this.#fail(new MgrError("conflict", "the search has ended"));
        resolve();
      });
    });
  }

  /** Rejects with `bad_field` if the pattern cannot be used. */
  static async start(settings: SearchSettings, listener: WorkerListener): Promise<SearchWorker> {
    const worker = new SearchWorker(settings, listener);
    try {
      const reply = await worker.#reply();
      if (reply.kind === "refused") throw new MgrError("bad_field", reply.message);
      if (reply.kind === "ready") worker.#watch(reply.thread);
      return worker;
    } catch (error) {
      await worker.end();
      throw error;
    }
  }

  /** Processor time of the thread, milliseconds: as of the last look, and whole once it has ended by itself. */
  get cpuMs(): number {
    return this.#cpuMs;
  }

  async run(job: SearchJob): Promise<JobResult> {
    const replied = this.#reply();
    this.#worker.postMessage(job);
    try {
      const reply = await replied;
      return reply.kind === "done" ? reply : { stop: null, problem: null };
    } catch (error) {
      if (this.#isOverdue) return { stop: "cpu_time", problem: null };
      throw error;
    }
  }

  async end(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    await this.#measure();
    await this.#worker.terminate();
    await this.ended;
  }

  #reply(): Promise<SearchReply> {
    if (this.#failure !== null) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
  }

  #receive(reply: SearchReply): void {
    if (reply.kind === "found") {
      this.#listener.onFound(reply.hits, reply.bytes);
      return;
    }
    const waiting = this.#waiting;
    this.#waiting = null;
    waiting?.resolve(reply);
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    const waiting = this.#waiting;
    this.#waiting = null;
    waiting?.reject(this.#failure);
  }

  #watch(thread: number): void {
    this.#thread = thread;
    const look = async () => {
      await this.#measure();
      if (this.#timer === null) return;
      if (this.#cpuMs > this.#settings.cpuMs + GRACE_CPU_MS) {
        this.#isOverdue = true;
        await this.#worker.terminate();
      } else this.#timer = setTimeout(look, WATCH_MS);
    };
    this.#timer = setTimeout(look, WATCH_MS);
  }

  async #measure(): Promise<void> {
    if (this.#thread === 0) return;
    // The thread may have ended.
    const text = await readFile(`/proc/self/task/${this.#thread}/schedstat`, "latin1").catch(() => null);
    if (text !== null) this.#cpuMs = cpuMsOf(text);
  }
}

function failureOf(error: unknown): MgrError {
  const isOutOfMemory = error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
  if (isOutOfMemory) return new MgrError("bad_field", "the pattern needs too much memory. Search for a shorter one");
  return new MgrError("internal", `the search failed: ${messageOf(error)}`, { cause: error });
}
