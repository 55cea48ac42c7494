import type { Control, Starter } from "../../actors/control.ts";
import type { Owners } from "../../base/access/access.ts";
import type { Principal } from "../../base/access/principal.ts";
import type { AnswerOf, CLIENT_FRAMES, ClientFrameType, FrameOf, ManagerFrame } from "../../protocol/frames/frames.ts";
import type { LogLevel } from "../../protocol/resources/resources.ts";
import type { EncodedFrame } from "../event-batch.ts";
import type { FrameObject } from "../frame-schedule.ts";
import type { HiddenNames } from "../hidden-names.ts";
import type { SnapshotPart } from "../snapshot-part.ts";
import type { ViewMode } from "../view.ts";

/** The interface for handlers of the connection that a frame came from. */
export interface HandlerContext {
  readonly control: Control;
  /** Additions of the features to snapshots. */
  readonly snapshotParts: readonly SnapshotPart[];
  readonly principal: Principal;
  readonly view: ViewMode;
  /** Removes the names of processes that the user may not see from an answer; null: the user may see all. */
  readonly hiddenNames: HiddenNames | null;
  /** Id of this connection, never used for another one. */
  readonly requester: string;
  /** This client, if it belongs to a web user; else null. */
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
  /** Records that this connection has typed into or resized a process: from now on its terminal answers the program's queries. */
  noteTyping(name: string): void;
  noteResize(name: string): void;
  /** Starts or stops to notify this connection of the terminal's size. */
  followTerminal(name: string, follow: boolean): AnswerOf<"follow_terminal_size">;
  /** Whether this connection was the last that typed into or resized the process. */
  mayReply(name: string): boolean;
  /** Queues all events so far for this connection, so that an answer created now follows them. */
  flushEvents(): void;
}

type About<T extends ClientFrameType> = (frame: FrameOf<T>, context: Pick<HandlerContext, "control">) => FrameObject;

/** The processes to which the object of a frame belongs; only for frames of the scope `owned`. */
interface Owned<T extends ClientFrameType> {
  readonly owners?: (frame: FrameOf<T>) => Owners;
}

/** A command is accepted when `run` returns or resolves; it is answered by `ack` if there is a request_id, by a refusal if `run` throws. */
export interface CommandHandler<T extends ClientFrameType> extends Owned<T> {
  readonly kind: "command";
  /** The object of a frame; omitted: the frame is independent of all others. */
  readonly about?: About<T>;
  readonly run: (frame: FrameOf<T>, context: HandlerContext) => void | Promise<void>;
  /** The command changes the requested state: its `ack` is sent when the change is saved. */
  readonly isKept?: true;
}

/** A request is answered by a frame of its own, which echoes the request_id, and perhaps by others that follow it in the same turn. */
export interface RequestHandler<T extends ClientFrameType> extends Owned<T> {
  readonly kind: "request";
  /** The object of a frame; omitted: the frame is independent of all others. */
  readonly about?: About<T>;
  readonly answer: (frame: FrameOf<T>, context: HandlerContext) => Answer<T> | Promise<Answer<T>>;
}

export type Answer<T extends ClientFrameType> = readonly [AnswerOf<T>, ...ManagerFrame[]];

export type Handler<T extends ClientFrameType> = CommandHandler<T> | RequestHandler<T>;

/** Handlers of some frame types: one table for each domain. Those of frames with the scope `owned` have to say who owns the object. */
export type HandlerTable<T extends ClientFrameType> = {
  readonly [K in T]: (typeof CLIENT_FRAMES)[K]["scope"] extends "owned" ? Handler<K> & Required<Owned<K>> : Handler<K>;
};

/** The object of frames about the host in `host`, which may be any of its names. */
export const aboutHost = ({ host }: { host: string }, { control }: Pick<HandlerContext, "control">): FrameObject => ({
  kind: "host",
  name: control.state.hosts().find(({ all_names }) => all_names.includes(host))?.name ?? host,
});

/** The object of frames about the object of this kind that `name` names. */
export const aboutNamed =
  (kind: FrameObject["kind"]) =>
  ({ name }: { name: string }): FrameObject => ({ kind, name });

/** The object of frames about the process or group in `name`. */
export const aboutProcess = aboutNamed("process");

/** Keeps one object for each connection: made when it is first used, and closed with the connection. */
export function perConnection<T extends object>(make: (context: HandlerContext) => T, close: (object: T) => void) {
  const objects = new WeakMap<HandlerContext, T>();
  return (context: HandlerContext): T => {
    const known = objects.get(context);
    if (known !== undefined) return known;
    const made = make(context);
    objects.set(context, made);
    context.onClose(() => close(made));
    return made;
  };
}
