import type { Observable } from "rxjs";
import { isErrorCode, MgrError, messageOf } from "../base/errors.ts";
import type { Clock } from "../base/timing/clock.ts";
import type { AckFrame, AnswerOf, ClientFrame, ClientFrameType, ManagerFrame } from "../protocol/frames/frames.ts";
import type { ManagerLink } from "./link/manager-link.ts";
import { RequestQueue } from "./request-queue.ts";

export interface RequestOptions {
  /** Milliseconds until the promise rejects with `timeout`; 15 s by default. */
  timeout?: number;
}

/** An object that sends requests to a manager. */
export abstract class Requester {
  /** The frames that answer no request. */
  abstract get events$(): Observable<ManagerFrame>;
  abstract request<F extends ClientFrame>(frame: F, options?: RequestOptions): Promise<AnswerTo<F>>;
}

/** The result of a request: the frame that answers its type (a result frame with `ok: true`), or `ack` if the protocol defines none. */
export type AnswerTo<F extends ClientFrame> = F["type"] extends infer T extends ClientFrameType
  ? T extends ClientFrameType
    ? [AnswerOf<T>] extends [never]
      ? AckFrame
      : Exclude<AnswerOf<T>, { ok: false }>
    : never
  : never;

type RequestId = NonNullable<ClientFrame["request_id"]>;

interface Waiting {
  readonly frame: ClientFrame & { request_id: RequestId };
  readonly resolve: (frame: ManagerFrame) => void;
  readonly reject: (error: Error) => void;
  readonly timer: unknown;
  /** Characters of the frame, while it has not been sent. */
  readonly size: number;
}

const DEFAULT_TIMEOUT_MS = 15_000;
/** Maximum number of requests of one type that are sent and not answered; further ones wait here. The manager accepts 80 of a connection. */
const MAX_IN_FLIGHT = 32;
/** Maximum number of requests that wait here; further ones reject with `busy`. */
const MAX_WAITING = 10_000;
const MAX_WAITING_CHARACTERS = 8 * 1024 * 1024;

/**
 * Requests and their answers, matched by `request_id`. A limited number of each type is sent at the same time; the others wait in order, and
 * hold up nothing but requests about the same object.
 */
export class Requests {
  readonly #link: ManagerLink;
  readonly #clock: Clock;
  readonly #inFlight = new Map<RequestId, Waiting>();
  readonly #queued = new Map<RequestId, Waiting>();
  readonly #queue = new RequestQueue<Waiting>();
  /** Number of requests in flight by type. */
  readonly #sent = new Map<ClientFrameType, number>();
  #queuedCharacters = 0;
  #nextId = 1;

  constructor(link: ManagerLink, clock: Clock) {
    this.#link = link;
    this.#clock = clock;
  }

  /** See `ManagerClient.request`. */
  send(frame: ClientFrame, { timeout = DEFAULT_TIMEOUT_MS }: RequestOptions): Promise<ManagerFrame> {
    return new Promise((resolve, reject) => {
      const id = frame.request_id ?? this.#freeId();
      if (this.#isInUse(id)) {
        reject(new MgrError("conflict", `request_id ${JSON.stringify(id)} is waiting for its answer; use another`));
        return;
      }
      const late = () => {
        this.#forget(id);
        reject(new MgrError("timeout", `the manager did not answer '${frame.type}' within ${timeout} ms`));
        this.#next();
      };
      const isQueued = this.#isFull(frame.type) || this.#queue.mustWait(frame);
      const size = isQueued ? JSON.stringify(frame).length : 0;
      if (isQueued && (this.#queued.size >= MAX_WAITING || this.#queuedCharacters + size > MAX_WAITING_CHARACTERS)) {
        reject(new MgrError("busy", `'${frame.type}' was not sent: ${this.#queued.size} requests of this program wait before it`));
        return;
      }
      const timer = this.#clock.setTimeout(late, timeout);
      const waiting = { frame: { ...frame, request_id: id }, resolve, reject, timer, size };
      if (isQueued) {
        this.#queued.set(id, waiting);
        this.#queue.add(waiting);
        this.#queuedCharacters += size;
      } else this.#transmit(waiting);
    });
  }

  /** Handles the answer to a request; returns false for any other frame. */
  answer(frame: ManagerFrame): boolean {
    const id = "request_id" in frame ? frame.request_id : undefined;
    const waiting = id === undefined ? undefined : this.#inFlight.get(id);
    if (id === undefined || waiting === undefined) return false;
    this.#forget(id);
    const failure = failureOf(frame);
    if (failure) waiting.reject(failure);
    else waiting.resolve(frame);
    this.#next();
    return true;
  }

  /** Rejects all requests. None is sent again, because it may have been carried out. */
  rejectAll(reason: string): void {
    for (const { frame, reject } of this.#removeAll())
      reject(new MgrError("host_unavailable", `the connection to the manager ended before it answered '${frame.type}': ${reason}`));
  }

  #transmit(waiting: Waiting): void {
    const { frame, reject } = waiting;
    this.#inFlight.set(frame.request_id, waiting);
    this.#sent.set(frame.type, (this.#sent.get(frame.type) ?? 0) + 1);
    try {
      if (this.#link.send(frame as ClientFrame)) return;
    } catch (cause) {
      this.#forget(frame.request_id);
      reject(new MgrError("bad_field", `'${frame.type}' cannot be written as JSON: ${messageOf(cause)}`, { cause }));
      return;
    }
    this.#forget(frame.request_id);
    if (this.#link.isFull) reject(new MgrError("busy", "the connection to the manager is congested; try again later"));
    else reject(new MgrError("host_unavailable", "not connected to the manager"));
  }

  #next(): void {
    for (let hasSent = true; hasSent; ) {
      hasSent = false;
      for (const waiting of this.#queue.next()) {
        if (this.#isFull(waiting.frame.type)) continue;
        hasSent = true;
        this.#remove(waiting);
        this.#transmit(waiting);
      }
    }
  }

  #isFull(type: ClientFrameType): boolean {
    return (this.#sent.get(type) ?? 0) >= MAX_IN_FLIGHT;
  }

  #remove(waiting: Waiting): void {
    if (!this.#queued.delete(waiting.frame.request_id)) return;
    this.#queue.delete(waiting);
    this.#queuedCharacters -= waiting.size;
  }

  #removeAll(): Waiting[] {
    const all = [...this.#inFlight.values(), ...this.#queued.values()];
    for (const { frame } of all) this.#forget(frame.request_id);
    return all;
  }

  #forget(id: RequestId): void {
    const queued = this.#queued.get(id);
    const sent = this.#inFlight.get(id);
    this.#clock.clearTimeout((queued ?? sent)?.timer);
    if (queued) this.#remove(queued);
    if (!sent) return;
    this.#inFlight.delete(id);
    this.#sent.set(sent.frame.type, (this.#sent.get(sent.frame.type) ?? 1) - 1);
  }

  #isInUse(id: RequestId): boolean {
    return this.#inFlight.has(id) || this.#queued.has(id);
  }

  #freeId(): number {
    while (this.#isInUse(this.#nextId)) this.#nextId++;
    return this.#nextId++;
  }
}

/** The error that an answer stands for: an `error` frame, or a result frame with `ok: false`. Its `details` are the frame. */
function failureOf(frame: ManagerFrame): MgrError | null {
  const failed = frame.type === "error" || ("ok" in frame && frame.ok === false);
  if (!failed) return null;
  const code = "code" in frame && isErrorCode(frame.code) ? frame.code : "internal";
  const message = "message" in frame && typeof frame.message === "string" ? frame.message : `'${frame.type}' failed`;
  return new MgrError(code, message, { details: frame });
}
