import { filter, firstValueFrom, mergeMap, type Observable, Subject, Subscription } from "rxjs";
import { MgrError } from "../base/errors.ts";
import { type Clock, systemClock } from "../base/timing/clock.ts";
import { FeatureHandles } from "../features/client.ts";
import type { ClientFrame, ManagerFrame } from "../protocol/frames/frames.ts";
import type { LogEntry, Snapshot } from "../protocol/resources/resources.ts";
import type { ManagerLink, ManagerLinkState } from "./link/manager-link.ts";
import { Mirror } from "./mirror.ts";
import { type AnswerTo, type RequestOptions, Requests } from "./requests.ts";
import { type OutputFrame, Subscriptions } from "./subscriptions.ts";

export interface ManagerConnectionOptions {
  /** Clock for time-outs of requests and waits. */
  clock?: Clock;
}

/**
 * A connection to a manager over any link: requests with answers, and unsolicited frames. Rejections are MgrError: the code and message of
 * the manager's `error` or failed result frame (`details` is that frame), `timeout`, `busy`, or `host_unavailable` when the link is not
 * open or is lost before the answer. After a reconnect all subscriptions are renewed, and waits continue from a new snapshot.
 */
export class ManagerConnection extends FeatureHandles implements AsyncDisposable {
  readonly link: ManagerLink;
  readonly clock: Clock;
  /** The state as received on this connection. */
  readonly mirror: Mirror;
  readonly #requests: Requests;
  readonly #outputs: Subscriptions;
  readonly #events = new Subject<ManagerFrame>();
  readonly #subscription = new Subscription();
  #state: ManagerLinkState = { kind: "connecting", attempt: 1 };

  constructor(link: ManagerLink, { clock = systemClock }: ManagerConnectionOptions = {}) {
    super();
    this.link = link;
    this.clock = clock;
    this.#outputs = new Subscriptions(link);
    this.#requests = new Requests(link, clock);
    this.mirror = new Mirror({ link, snapshot: () => this.snapshot() });
    this.#subscription.add(
      link.frames$.subscribe({
        next: (frame) => {
          if (!this.#requests.answer(frame)) this.#events.next(frame);
        },
        complete: () => this.#events.complete(),
      }),
    );
    this.#subscription.add(
      link.state$.subscribe((state) => {
        this.#state = state;
        if (state.kind === "waiting" || state.kind === "closed") this.#requests.rejectAll(state.reason);
      }),
    );
  }

  /** Every frame of the manager, including answers, in order. Completes when the connection is finally closed. */
  get frames$(): Observable<ManagerFrame> {
    return this.link.frames$;
  }

  /** The frames that answer no request of this client: changes, output, log. Completes with the connection. */
  get events$(): Observable<ManagerFrame> {
    return this.#events;
  }

  /** New entries of the manager's log from level `info` on, or from the level last set by `set_log_min_level`. */
  get log$(): Observable<LogEntry> {
    return this.#events.pipe(
      filter((frame) => frame.type === "log_batch" && frame.history !== true),
      mergeMap((frame) => (frame.type === "log_batch" ? frame.entries : [])),
    );
  }

  /** Live output of one process, while there is a subscriber; also across reconnects. */
  output$(name: string): Observable<OutputFrame> {
    return this.#outputs.outputOf(name);
  }

  /** Resolves when the link is open; rejects when it is finally closed, with the reason of the refusal. */
  async opened(): Promise<void> {
    const state = await firstValueFrom(
      this.link.state$.pipe(filter((now: ManagerLinkState) => now.kind === "open" || now.kind === "closed")),
    );
    if (state.kind !== "closed") return;
    const code = state.error instanceof MgrError ? state.error.code : "host_unavailable";
    // A refusal has its own message.
    const message = code === "host_unavailable" ? `cannot reach the manager: ${state.reason}` : state.reason;
    throw new MgrError(code, message, { cause: state.error });
  }

  /**
   * Sends a frame and resolves with its answer: the result frame, or `ack` if the protocol defines none. At most 32 of one type are
   * in flight, further ones wait in order, and beyond 10,000 or 8 MiB they reject with `busy`. The frame's own `request_id` is kept; it
   * rejects with `conflict` while an earlier request with that ID is unanswered.
   */
  async request<F extends ClientFrame>(frame: F, options: RequestOptions = {}): Promise<AnswerTo<F>> {
    const answer = await this.#requests.send(this.#outputs.outgoing(frame), options);
    this.#outputs.sent(frame);
    // The manager answers each type with its own frame; failures have become rejections.
    return answer as AnswerTo<F>;
  }

  /** Sends a frame without waiting for an answer. Returns false if it was not sent, because the link is not open or its send buffer is full. */
  send(frame: ClientFrame): boolean {
    const isSent = this.link.send(this.#outputs.outgoing(frame));
    if (isSent) this.#outputs.sent(frame);
    return isSent;
  }

  /** A snapshot of everything that this connection may see. */
  snapshot(): Promise<Snapshot> {
    return this.request({ type: "get_snapshot" });
  }

  /** Reason why no answer arrives, for the message of a wait that failed; "" while the link is open. */
  get connectionProblem(): string {
    const state = this.#state;
    if (state.kind === "open") return "";
    if (state.kind === "connecting") return " (the connection is being made)";
    return state.kind === "closed" ? ` (${state.reason})` : ` (the connection is lost: ${state.reason})`;
  }

  close(): void {
    this.link.close();
    this.#subscription.unsubscribe();
    this.#events.complete();
    this.#requests.rejectAll("closed by this program");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
  }
}
