import { randomUUID } from "node:crypto";
import type { Control, Starter } from "../actors/control.ts";
import type { Principal } from "../base/access/principal.ts";
import type { CommandObserver, EndOfCommand } from "../base/command-observer.ts";
import { type ErrorCode, MgrError, messageOf, shuttingDown, wireCode } from "../base/errors.ts";
import { decodeFrame } from "../protocol/frames/decode.ts";
import { ackFrame, encodeFrame, encodeInParts, errorFrame } from "../protocol/frames/encode.ts";
import type { EncodedProcesses } from "../protocol/frames/encoded-processes.ts";
import type { AnswerOf, ClientFrame, ClientFrameType, ManagerFrame } from "../protocol/frames/frames.ts";
import { type RefusalFrame, refusalFrame } from "../protocol/frames/refusal.ts";
import type { LogLevel } from "../protocol/resources/resources.ts";
import type { Audiences } from "./audience.ts";
import { type Dispatch, isReadOnly } from "./dispatch.ts";
import type { EncodedFrame } from "./event-batch.ts";
import type { EventStreams } from "./event-streams.ts";
import { type BegunFrame, FrameObserver, outcomeOf } from "./frame-observer.ts";
import { frameRefusal } from "./frame-permission.ts";
import { FrameSchedule, type FrameWork } from "./frame-schedule.ts";
import type { Answer, CommandHandler, Handler, HandlerContext, RequestHandler } from "./handlers/handler.ts";
import type { HiddenNames } from "./hidden-names.ts";
import type { LogStreams } from "./log-streams.ts";
import type { NewsSchedule } from "./news-schedule.ts";
import { Outbox, type OutboxObserver, type OutboxSocket } from "./outbox.ts";
import type { InputOwners, TerminalViewer } from "./output/input-owners.ts";
import type { OutputHub } from "./output/output-hub.ts";
import type { OutputSubscription } from "./output/output-subscription.ts";
import type { RefusalLog } from "./refusal-log.ts";
import type { SnapshotPart } from "./snapshot-part.ts";
import { contains, outOfScope, type RequestedView, type ViewMode, viewOf } from "./view.ts";

/** Services that all connections share. */
export interface ConnectionServices {
  readonly control: Control;
  readonly snapshotParts: readonly SnapshotPart[];
  readonly encodedProcesses: EncodedProcesses;
  readonly dispatch: Dispatch;
  readonly hub: OutputHub;
  readonly events: EventStreams;
  readonly logs: LogStreams;
  readonly audiences: Audiences;
  readonly news: NewsSchedule;
  readonly refusals: RefusalLog;
  readonly observer: CommandObserver | null;
  readonly inputOwners: InputOwners;
  /** Content hash of the web UI's files, for `snapshot`. */
  readonly assetHash: string;
}

export interface ConnectionOptions {
  readonly socket: OutboxSocket;
  readonly observer: OutboxObserver;
  readonly principal: Principal;
  /** The program that the client says it is. */
  readonly client: string | null;
  /** The requested view; it shows what the principal may see of it. */
  readonly view: RequestedView;
}

const DEFECT = "Internal error. See the manager's log for details.";

/** The connection of one client: receives frames; sends answers, events and output. Events are sent from its construction on. */
export class Connection implements HandlerContext, TerminalViewer {
  readonly principal: Principal;
  readonly view: ViewMode;
  readonly starter: Starter | null;
  readonly requester = randomUUID();
  readonly control: Control;
  readonly snapshotParts: readonly SnapshotPart[];
  readonly assetHash: string;
  readonly #services: ConnectionServices;
  readonly #outbox: Outbox;
  readonly #schedule = new FrameSchedule();
  readonly #observer: FrameObserver;
  readonly #output: OutputSubscription;
  readonly #onClose: (() => void)[] = [];
  #logMinLevel: LogLevel = "info";
  #isClosed = false;

  constructor(services: ConnectionServices, { socket, observer, principal, client, view }: ConnectionOptions) {
    this.#services = services;
    this.principal = principal;
    this.view = viewOf(view, principal.grants);
    this.control = services.control;
    this.snapshotParts = services.snapshotParts;
    this.assetHash = services.assetHash;
    this.starter = this.#starterOf(principal);
    this.#observer = new FrameObserver(services.observer, { principal, client });
    this.#outbox = new Outbox(socket, { ...observer, hasRoom: () => services.hub.hasRoom(this.#output) }, services.news);
    this.#follow();
    this.#output = services.hub.open({
      sink: this.#outbox,
      contains: (name) => contains(this.view, name),
      everything: view.kind === "single_process" || view.kind === "single_group",
    });
  }

  // ── Frames in ──

  receive(text: string): void {
    try {
      const decoded = decodeFrame(text);
      if (decoded.ok) this.#handle(decoded.frame);
      else this.#refuse(decoded.error, askedType(decoded.error));
    } catch (error) {
      // A defect in decoding or routing must not end the manager.
      this.#reportDefect("a frame", error);
      this.refuse("internal", DEFECT);
    }
  }

  /** Answers a message that is not a frame (binary, too large), and sends the answer at once. */
  refuse(code: ErrorCode, message: string): void {
    this.#refuse(errorFrame({ code, message }), null);
    this.#outbox.flush();
  }

  /** Called before the socket closes: sends queued frames as far as possible, then ends all subscriptions. */
  close(): void {
    this.#isClosed = true;
    this.#outbox.flush();
    this.#outbox.follow(null);
    for (const callback of this.#onClose.splice(0)) callback();
    this.#services.hub.closeSubscription(this.#output);
    this.#services.inputOwners.forget(this);
    this.#schedule.close();
    this.#outbox.close();
  }

  // ── Methods for handlers ──

  get logMinLevel(): LogLevel {
    return this.#logMinLevel;
  }

  setLogMinLevel(level: LogLevel): void {
    if (level === this.#logMinLevel) return;
    // Entries of this turn are still sent by the old level.
    this.#services.logs.flush();
    this.#logMinLevel = level;
    this.#follow();
  }

  subscribeOutput(patterns: readonly string[]): void | Promise<void> {
    return this.#services.hub.subscribe(this.#output, patterns);
  }

  unsubscribeOutput(patterns: readonly string[]): void | Promise<void> {
    return this.#services.hub.unsubscribe(this.#output, patterns);
  }

  push(frame: EncodedFrame): void {
    this.#outbox.push(frame);
  }

  onClose(callback: () => void): void {
    // A command that was received before the connection closed may begin afterwards.
    if (this.#isClosed) callback();
    else this.#onClose.push(callback);
  }

  noteTyping(name: string): void {
    if (!this.#isClosed) this.#services.inputOwners.typed(name, this);
  }

  noteResize(name: string): void {
    if (!this.#isClosed) this.#services.inputOwners.resized(name, this);
  }

  mayReply(name: string): boolean {
    return this.#services.inputOwners.isLast(name, this);
  }

  followTerminal(name: string, follow: boolean): AnswerOf<"follow_terminal_size"> {
    // Throws for a process that does not exist.
    const size = this.control.terminals.size(name);
    if (follow) this.#services.inputOwners.follow(name, this);
    else this.#services.inputOwners.release(name, this);
    return { type: "terminal_size", name, ...size, holder: this.#services.inputOwners.holder(name, this) };
  }

  terminalChanged(name: string): void {
    // A removed process has no size any more.
    if (!this.control.state.process(name)) return;
    const size = this.control.terminals.size(name);
    this.#push({ type: "terminal_size", name, ...size, holder: this.#services.inputOwners.holder(name, this) });
  }

  /** Null: everything of the view may be seen. */
  get hiddenNames(): HiddenNames | null {
    return this.view.kind === "granted" ? this.#services.events.hiddenNames(this.view) : null;
  }

  flushEvents(): void {
    this.#services.hub.flushAll();
    this.#services.events.flush();
    this.#services.logs.flush();
  }

  // ── Inside ──

  #handle(frame: ClientFrame): void {
    const handler = this.#services.dispatch(frame);
    const outside = outOfScope(this.view, frame);
    const forbidden = frameRefusal(frame, this.principal.grants, this.control.state, () => handler?.owners?.(frame) ?? null);
    if (handler === undefined) this.#refuseUnbegun(frame, new MgrError("unknown_action", `this manager does not have '${frame.type}'`));
    else if (forbidden !== null) this.#refuseSender(frame, "forbidden", forbidden);
    else if (outside !== null) this.#refuseSender(frame, "out_of_scope", outside);
    else if (this.control.state.isShuttingDown && !isReadOnly(frame.type)) this.#refuseUnbegun(frame, shuttingDown());
    else this.#submit(frame, handler);
  }

  #submit(frame: ClientFrame, handler: Handler<ClientFrameType>): void {
    const limit = this.#schedule.limitOf(frame.type);
    if (limit !== null) this.#refuseUnbegun(frame, tooMany(frame.type, limit));
    else this.#schedule.submit(this.#workOf(frame, handler));
  }

  #refuseUnbegun(frame: ClientFrame, error: MgrError): void {
    this.#observer.refused(frame, this.#fail(frame, error));
  }

  /** The sender may not give this frame, whatever is in it. */
  #refuseSender(frame: ClientFrame, code: ErrorCode, message: string): void {
    const answer = errorFrame({ code, message }, frame);
    this.#refuse(answer, frame.type);
    this.#observer.refused(frame, answer);
  }

  #workOf(frame: ClientFrame, handler: Handler<ClientFrameType>): FrameWork {
    const { type } = frame;
    const about = handler.about?.(frame, this) ?? null;
    const effect = handler.kind === "command" ? "command" : isReadOnly(type) ? "read" : "change";
    const observed = this.#observer.before(frame);
    const run = (answered: () => void) => this.#begin(frame, handler, { answered, begun: observed.begun() });
    return { type, about, effect, run, ...(observed.ready === null ? {} : { ready: observed.ready }) };
  }

  /** The observers of the frame have let it begin, or have refused it. */
  #begin(frame: ClientFrame, handler: Handler<ClientFrameType>, { answered, begun }: Beginning): void | Promise<void> {
    if ("refusal" in begun) this.#fail(frame, begun.refusal);
    else if (begun.isLate && this.control.state.isShuttingDown && !isReadOnly(frame.type)) this.#failed(frame, shuttingDown(), begun.end);
    else return this.#carryOut(frame, handler, { answered, end: begun.end });
  }

  #carryOut(frame: ClientFrame, handler: Handler<ClientFrameType>, { answered, end }: Progress): void | Promise<void> {
    if (handler.kind === "request") return this.#request(frame, handler, { answered, end });
    return this.#command(frame, handler, end);
  }

  /** Commands that are accepted at once are answered in the same turn, in the order of the frames. */
  #command(frame: ClientFrame, handler: CommandHandler<ClientFrameType>, end: EndOfCommand): void | Promise<void> {
    const accepted = () => {
      end({ ok: true });
      this.#acknowledge(frame, handler);
    };
    try {
      const pending = handler.run(frame, this);
      if (!pending) return accepted();
      return pending.then(accepted, (error: unknown) => this.#failed(frame, error, end));
    } catch (error) {
      this.#failed(frame, error, end);
    }
  }

  #acknowledge(frame: ClientFrame, { isKept }: CommandHandler<ClientFrameType>): void {
    const ack = ackFrame(frame);
    if (!ack) return;
    if (isKept) void this.control.commands.saved().then(() => this.#push(ack));
    else this.#push(ack);
  }

  async #request(frame: ClientFrame, handler: RequestHandler<ClientFrameType>, { answered, end }: Progress): Promise<void> {
    try {
      const made = handler.answer(frame, this);
      // A snapshot must be queued in the turn in which it was created, before any later event.
      const answer = made instanceof Promise ? await made : made;
      const isSent = this.#answer(answer, frame);
      end(outcomeOf(answer[0]));
      answered();
      await isSent;
    } catch (error) {
      this.#failed(frame, error, end);
    }
  }

  /** Resolves once the socket has accepted the last frame. */
  #answer([first, ...others]: Answer<ClientFrameType>, { request_id }: ClientFrame): Promise<void> {
    const frames = [request_id === undefined ? first : { ...first, request_id }, ...others];
    return new Promise((resolve) => {
      for (const [index, frame] of frames.entries()) {
        const parts = encodeInParts(frame, this.view.kind === "full" ? this.#services.encodedProcesses : null);
        const first = parts.next().value ?? Buffer.alloc(0);
        this.#outbox.answer(first, index === frames.length - 1 ? resolve : null, parts);
      }
    });
  }

  /** Null for a program in this process, which has no display. */
  #starterOf({ user, via, address }: Principal): Starter | null {
    if (via === "in-process") return null;
    return {
      user,
      peer: address === "" ? null : address,
      notify: (frame) => {
        if (!this.#isClosed) this.#push(frame);
      },
    };
  }

  /** Refuses a command that has begun. */
  #failed(frame: ClientFrame, error: unknown, end: EndOfCommand): void {
    const { code, message } = this.#fail(frame, error);
    end({ ok: false, code, message });
  }

  #fail(frame: ClientFrame, error: unknown): RefusalFrame {
    const code = wireCode(error);
    if (code === "internal") this.#reportDefect(frame.type, error);
    const answer = refusalFrame(frame, { code, message: code === "internal" ? DEFECT : this.#shown(messageOf(error)) });
    this.#refuse(answer, frame.type);
    return answer;
  }

  #shown(text: string): string {
    return this.hiddenNames?.text(text) ?? text;
  }

  /** Sends a refusal, and logs it with its user (a defect is in the log already). */
  #refuse(answer: RefusalFrame, what: string | null): void {
    const { host } = answer as { readonly host?: string };
    this.#push(host === undefined ? answer : Object.assign({}, answer, { host: this.#canonicalHost(host) }));
    if (answer.code !== "internal") this.#services.refusals.note({ user: this.principal.user, what, reason: answer.message });
  }

  /** The canonical name, as in successful answers. */
  #canonicalHost(host: string): string {
    return this.control.state.hosts().find(({ all_names }) => all_names.includes(host))?.name ?? host;
  }

  #reportDefect(what: string, error: unknown): void {
    const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.control.log.error(`${what} of ${this.principal.user} failed: ${detail}`);
  }

  #push(frame: ManagerFrame): void {
    this.#outbox.reply(encodeFrame(frame));
  }

  #follow(): void {
    this.#outbox.follow(() => this.#services.audiences.join(this.#outbox, this.view, this.#logMinLevel));
  }
}

interface Beginning {
  readonly answered: () => void;
  readonly begun: BegunFrame;
}

interface Progress {
  readonly answered: () => void;
  readonly end: EndOfCommand;
}

function tooMany(type: ClientFrameType, limit: number): MgrError {
  return new MgrError("busy", `More than ${limit} frames '${type}' of this connection are pending: wait for answers before sending more.`);
}

/** Type of the frame that a refusal answers; null if that could not be read. */
function askedType(refusal: RefusalFrame): string | null {
  return refusal.type === "error" ? (refusal.request_type ?? null) : refusal.type;
}
