import type { CommandObserver, CommandOutcome, CommandRefusal, EndOfCommand, ObservedCommand } from "../base/command-observer.ts";
import type { Principal } from "../base/principal.ts";
import type { ClientFrameSpec } from "../protocol/frames/frame-table.ts";
import { CLIENT_FRAMES, type ClientFrame, type ManagerFrame } from "../protocol/frames/frames.ts";
import { isReadOnly } from "./dispatch.ts";

const unobserved: EndOfCommand = () => {};

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

  observes(frame: ClientFrame): boolean {
    return this.#observer !== null && !isReadOnly(frame.type);
  }

  /** As `CommandObserver.before`. */
  before(frame: ClientFrame): EndOfCommand | Promise<EndOfCommand> {
    return this.observes(frame) && this.#observer !== null ? this.#observer.before(this.#commandOf(frame)) : unobserved;
  }

  refused(frame: ClientFrame, { code, message }: Omit<CommandRefusal, "ok">): void {
    if (this.observes(frame)) this.#observer?.refused(this.#commandOf(frame), { ok: false, code, message });
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
