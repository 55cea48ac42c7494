import type { Principal } from "../base/access/principal.ts";
import type { CommandObserver, CommandOutcome, CommandRefusal, EndOfCommand, ObservedCommand } from "../base/command-observer.ts";
import type { ClientFrameSpec } from "../protocol/frames/frame-table.ts";
import { CLIENT_FRAMES, type ClientFrame, type ManagerFrame } from "../protocol/frames/frames.ts";
import { isReadOnly } from "./dispatch.ts";

const unobserved: EndOfCommand = () => {};

/** A frame that its observers let begin, perhaps later than it was received, or that they refuse. */
export type BegunFrame = { readonly end: EndOfCommand; readonly isLate: boolean } | { readonly refusal: unknown };

interface ObservedFrame {
  /** Resolves when the frame may begin or is refused; null: it may begin at once. */
  readonly ready: Promise<void> | null;
  /** Called when `ready` has resolved. */
  begun(): BegunFrame;
}

/** Passes the frames of one connection that change something to an observer. */
export class FrameObserver {
  readonly #observer: CommandObserver | null;
  readonly #principal: Principal;
  readonly #client: string | null;

  constructor(observer: CommandObserver | null, { principal, client }: { principal: Principal; client: string | null }) {
    this.#observer = observer;
    this.#principal = principal;
    this.#client = client;
  }

  before(frame: ClientFrame): ObservedFrame {
    const begun = this.#observer === null || isReadOnly(frame.type) ? unobserved : this.#observer.before(this.#commandOf(frame));
    if (!(begun instanceof Promise)) return { ready: null, begun: () => ({ end: begun, isLate: false }) };
    let known: BegunFrame = { refusal: new Error("the frame has begun before its observers allow it") };
    const ready = begun.then(
      (end) => {
        known = { end, isLate: true };
      },
      (refusal: unknown) => {
        known = { refusal };
      },
    );
    return { ready, begun: () => known };
  }

  refused(frame: ClientFrame, { code, message }: Omit<CommandRefusal, "ok">): void {
    if (!isReadOnly(frame.type)) this.#observer?.refused(this.#commandOf(frame), { ok: false, code, message });
  }

  #commandOf(frame: ClientFrame): ObservedCommand {
    const { type, request_id = null, ...args } = frame;
    const { secrets = [] }: ClientFrameSpec = CLIENT_FRAMES[type];
    const target = "name" in frame ? frame.name : null;
    return { name: type, sender: this.#principal, client: this.#client, requestId: request_id, target, args, secrets };
  }
}

/** The outcome of a request by its answer. */
export function outcomeOf(answer: ManagerFrame): CommandOutcome {
  return "ok" in answer && answer.ok === false ? { ok: false, code: answer.code, message: answer.message } : { ok: true };
}
