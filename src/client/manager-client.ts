import { filter, firstValueFrom, type Observable, type Subscription } from "rxjs";
import { isErrorCode, MgrError } from "../base/errors.ts";
import type { ClientFrame, ManagerFrame } from "../protocol/frames.ts";
import type { LogLevel, Snapshot } from "../protocol/resources.ts";
import type { Link, LinkState } from "./link.ts";
import { type OutputFrame, OutputSubscriptions } from "./output-subscriptions.ts";

export interface RequestOptions {
  /** Milliseconds until the promise rejects with `timeout`; 15 s by default. */
  timeout?: number;
}

type RequestId = NonNullable<ClientFrame["request_id"]>;

interface Waiting {
  request: ClientFrame;
  resolve: (frame: ManagerFrame) => void;
  reject: (error: Error) => void;
  timer: ReturnType<typeof setTimeout>;
}

const DEFAULT_TIMEOUT_MS = 15_000;

/**
 * A manager as a program sees it: requests with answers over a link, and the frames that come by themselves.
 * Rejections are MgrError: the code of the manager's `error` or failed result frame, `timeout`, or `host_unavailable`
 * when the link is not open or closes before the answer.
 */
export class ManagerClient {
  readonly link: Link;
  readonly #waiting = new Map<RequestId, Waiting>();
  readonly #outputs: OutputSubscriptions;
  readonly #subscriptions: Subscription[];
  /** What the manager has accepted; it knows a level per connection. */
  #logMinLevel: LogLevel | null = null;
  #nextId = 1;

  constructor(link: Link) {
    this.link = link;
    this.#outputs = new OutputSubscriptions(link);
    this.#subscriptions = [
      link.frames$.subscribe((frame) => this.#answer(frame)),
      link.state$.subscribe((state) => {
        if (state.kind === "waiting" || state.kind === "closed") this.#rejectAll(state.reason);
        if (state.kind === "open" && this.#logMinLevel !== null) link.send({ type: "set_log_min_level", level: this.#logMinLevel });
      }),
    ];
  }

  /** Every frame of the manager, answers included. */
  get frames$(): Observable<ManagerFrame> {
    return this.link.frames$;
  }

  /** Live output of one process, while somebody listens; also across reconnects. */
  output$(name: string): Observable<OutputFrame> {
    return this.#outputs.of(name);
  }

  /** Resolves when the link is open; rejects when it is closed for good, with what it was refused with. */
  async opened(): Promise<void> {
    const state = await firstValueFrom(this.link.state$.pipe(filter((now: LinkState) => now.kind === "open" || now.kind === "closed")));
    if (state.kind !== "closed") return;
    const code = state.error instanceof MgrError ? state.error.code : "host_unavailable";
    throw new MgrError(code, `cannot reach the manager: ${state.reason}`, { cause: state.error });
  }

  /**
   * Sends a frame and resolves with its answer: the result frame, or `ack` where the protocol knows none. A `request_id`
   * of the frame's own is kept; it rejects with `conflict` while that one waits for its answer. A log level that was
   * accepted holds across reconnects.
   */
  request(frame: ClientFrame, options: RequestOptions = {}): Promise<ManagerFrame> {
    return new Promise((resolve, reject) => {
      const id = frame.request_id ?? this.#freeId();
      if (this.#waiting.has(id)) {
        reject(new MgrError("conflict", `request_id ${JSON.stringify(id)} is waiting for its answer; use another`));
        return;
      }
      if (!this.link.send({ ...frame, request_id: id })) {
        reject(new MgrError("host_unavailable", "not connected to the manager"));
        return;
      }
      const milliseconds = options.timeout ?? DEFAULT_TIMEOUT_MS;
      const timer = setTimeout(() => {
        this.#waiting.delete(id);
        reject(new MgrError("timeout", `the manager did not answer '${frame.type}' within ${milliseconds} ms`));
      }, milliseconds);
      this.#waiting.set(id, { request: frame, resolve, reject, timer });
    });
  }

  async snapshot(): Promise<Snapshot> {
    const frame = await this.request({ type: "get_snapshot" });
    if (frame.type !== "snapshot") throw new MgrError("internal", `'get_snapshot' was answered by '${frame.type}'`);
    return frame;
  }

  close(): void {
    this.link.close();
    for (const subscription of this.#subscriptions) subscription.unsubscribe();
    this.#rejectAll("closed by this program");
  }

  #freeId(): number {
    while (this.#waiting.has(this.#nextId)) this.#nextId++;
    return this.#nextId++;
  }

  #answer(frame: ManagerFrame): void {
    const id = "request_id" in frame ? frame.request_id : undefined;
    if (id === undefined) return;
    const waiting = this.#waiting.get(id);
    if (!waiting) return;
    this.#waiting.delete(id);
    clearTimeout(waiting.timer);
    const failure = failureOf(frame);
    if (failure) {
      waiting.reject(failure);
      return;
    }
    if (waiting.request.type === "set_log_min_level") this.#logMinLevel = waiting.request.level;
    waiting.resolve(frame);
  }

  #rejectAll(reason: string): void {
    for (const waiting of this.#waiting.values()) {
      clearTimeout(waiting.timer);
      waiting.reject(
        new MgrError("host_unavailable", `the connection to the manager ended before it answered '${waiting.request.type}': ${reason}`),
      );
    }
    this.#waiting.clear();
  }
}

/** The error that an answer stands for: an `error` frame, or a result frame with `ok: false`. */
function failureOf(frame: ManagerFrame): MgrError | null {
  const failed = frame.type === "error" || ("ok" in frame && frame.ok === false);
  if (!failed) return null;
  const code = "code" in frame && isErrorCode(frame.code) ? frame.code : "internal";
  const message = "message" in frame && typeof frame.message === "string" ? frame.message : `'${frame.type}' failed`;
  return new MgrError(code, message);
}
