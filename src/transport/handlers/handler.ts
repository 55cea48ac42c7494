import type { Control, Starter } from "../../actors/control.ts";
import type { Principal } from "../../base/principal.ts";
import type { AnswerOf, ClientFrameType, FrameOf, ManagerFrame } from "../../protocol/frames/frames.ts";
import type { LogLevel } from "../../protocol/resources/resources.ts";
import type { FrameObject } from "../frame-schedule.ts";
import type { EncodedFrame } from "../outbox.ts";
import type { SnapshotPart } from "../snapshot-part.ts";
import type { ViewMode } from "../view.ts";

/** What a handler may see and touch of the connection that a frame came from. */
export interface HandlerContext {
  readonly control: Control;
  /** Additions of the features to snapshots. */
  readonly snapshotParts: readonly SnapshotPart[];
  readonly principal: Principal;
  readonly view: ViewMode;
  /** Names this connection, and no other that ever was. */
  readonly requester: string;
  /** This client, where it is a web user's; else null. */
  readonly starter: Starter | null;
  readonly assetHash: string;
  readonly logMinLevel: LogLevel;
  setLogMinLevel(level: LogLevel): void;
  subscribeOutput(patterns: readonly string[]): void | Promise<void>;
  unsubscribeOutput(patterns: readonly string[]): void | Promise<void>;
  /** Queues a frame behind those that are queued already. */
  push(frame: EncodedFrame): void;
  /** Calls `callback` when the connection closes. */
  onClose(callback: () => void): void;
  /** This connection has typed into or resized a process: from now on its terminal answers the program's queries. */
  noteTyping(name: string): void;
  noteResize(name: string): void;
  /** Begins or ends to tell this connection of the terminal's size. */
  followTerminal(name: string, follow: boolean): AnswerOf<"follow_terminal_size">;
  /** Whether it did so last. */
  mayReply(name: string): boolean;
  /** Queues every event of the past for this connection, so that an answer made now stands after them. */
  flushEvents(): void;
}

type About<T extends ClientFrameType> = (frame: FrameOf<T>, context: Pick<HandlerContext, "control">) => FrameObject;

/** Accepted when it returns or resolves; answered by `ack` if there is a request_id, by a refusal if it throws. */
export interface CommandHandler<T extends ClientFrameType> {
  readonly kind: "command";
  /** Without it the frame is independent of all others. */
  readonly about?: About<T>;
  readonly run: (frame: FrameOf<T>, context: HandlerContext) => void | Promise<void>;
  /** It changes the requested state: its `ack` is sent when the change is saved. */
  readonly isKept?: true;
}

/** Answered by a frame of its own, which echoes the request_id, and perhaps by others that follow it in the same turn. */
export interface RequestHandler<T extends ClientFrameType> {
  readonly kind: "request";
  /** Without it the frame is independent of all others. */
  readonly about?: About<T>;
  readonly answer: (frame: FrameOf<T>, context: HandlerContext) => Answer<T> | Promise<Answer<T>>;
}

export type Answer<T extends ClientFrameType> = readonly [AnswerOf<T>, ...ManagerFrame[]];

export type Handler<T extends ClientFrameType> = CommandHandler<T> | RequestHandler<T>;

/** Handlers of some frame types: one table a domain. */
export type HandlerTable<T extends ClientFrameType> = { readonly [K in T]: Handler<K> };

/** For frames about the host in `host`, which may be any of its names. */
export const aboutHost = ({ host }: { host: string }, { control }: Pick<HandlerContext, "control">): FrameObject => ({
  kind: "host",
  name: control.state.hosts().find(({ all_names }) => all_names.includes(host))?.name ?? host,
});

/** For frames about the object of this kind that `name` names. */
export const aboutNamed =
  (kind: FrameObject["kind"]) =>
  ({ name }: { name: string }): FrameObject => ({ kind, name });

/** For frames about the process or group in `name`. */
export const aboutProcess = aboutNamed("process");
