import { Worker } from "node:worker_threads";
import { MgrError, messageOf } from "../../../base/errors.ts";
import type { ControlAction } from "../contract.ts";
import type { PlayCommand, PlayError, PlayReply, PlaySettings } from "./worker/messages.ts";
import { workerSource } from "./worker-source.ts";

/** Heap limits in MiB. What is read from files lies outside of the heap, and has limits of its own (play-thread.ts). */
const LIMITS = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 };
/** A play that was stopped has this long to publish its last messages, before its thread is ended, milliseconds. */
const STOP_WITHIN_MS = 5_000;

type Reply<K extends PlayReply["kind"]> = Extract<PlayReply, { kind: K }>;

interface PlayListener {
  readonly onState: (state: Reply<"state">["state"]) => void;
  /** Called once, when the thread is over. */
  readonly onEnd: (error: PlayError | null) => void;
}

/** The worker thread of one play: an error of it ends the play, and nothing else. */
export class PlayWorker {
  /** Resolves when the files are open. Rejects if they cannot be played. */
  readonly opened: Promise<Reply<"opened">>;
  readonly #worker: Worker;
  readonly #listener: PlayListener;
  readonly #begun: Promise<Reply<"begun">>;
  readonly #exit: Promise<void>;
  #resolveOpened: (reply: Reply<"opened">) => void = () => {};
  #resolveBegun: (reply: Reply<"begun">) => void = () => {};
  #reject: (error: MgrError) => void = () => {};
  #hasEnded = false;
  #timer: NodeJS.Timeout | null = null;

  constructor(settings: PlaySettings, listener: PlayListener) {
    this.#listener = listener;
    const failed = new Promise<never>((_resolve, reject) => {
      this.#reject = reject;
    });
    this.opened = Promise.race([failed, new Promise<Reply<"opened">>((resolve) => (this.#resolveOpened = resolve))]);
    this.#begun = Promise.race([failed, new Promise<Reply<"begun">>((resolve) => (this.#resolveBegun = resolve))]);
    // One that ends later has told its listener why.
    for (const each of [failed, this.opened, this.#begun]) each.catch(() => undefined);
    this.#worker = new Worker(workerSource(), { eval: true, workerData: settings, resourceLimits: LIMITS, execArgv: [] });
    this.#worker.on("message", (reply: PlayReply) => this.#receive(reply));
    this.#worker.on("error", (error) => this.#end(failureOf(error)));
    this.#exit = new Promise((resolve) => {
      this.#worker.once("exit", () => {
        this.#end({ code: "internal", message: "the thread of the play has ended by itself" });
        resolve();
      });
    });
  }

  /** Resolves when the topics are reserved and it plays. Rejects if they cannot be. */
  begin(leftOut: Extract<PlayCommand, { kind: "begin" }>["leftOut"]): Promise<Reply<"begun">> {
    this.#post({ kind: "begin", leftOut });
    return this.#begun;
  }

  control(control: ControlAction): void {
    this.#post({ kind: "control", control });
    if (control.action === "stop") this.#timer ??= setTimeout(() => void this.end(), STOP_WITHIN_MS);
  }

  /** Ends the thread at once, and with it its connection. */
  async end(): Promise<void> {
    this.#end(null);
    await this.#exit;
  }

  #post(command: PlayCommand): void {
    this.#worker.postMessage(command);
  }

  #receive(reply: PlayReply): void {
    if (this.#hasEnded) return;
    if (reply.kind === "opened") this.#resolveOpened(reply);
    else if (reply.kind === "begun") this.#resolveBegun(reply);
    else if (reply.kind === "state") this.#listener.onState(reply.state);
    else this.#end(reply.error);
  }

  #end(error: PlayError | null): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#reject(error === null ? new MgrError("conflict", "the play was stopped") : new MgrError(error.code, error.message));
    void this.#worker.terminate();
    this.#listener.onEnd(error);
  }
}

function failureOf(error: unknown): PlayError {
  const isOutOfMemory = error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
  if (isOutOfMemory) return { code: "too_large", message: "the files need too much memory: play fewer of them, or use 'mgr play'" };
  return { code: "internal", message: `the play failed: ${messageOf(error)}` };
}
