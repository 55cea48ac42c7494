import type { Control } from "../../actors/control.ts";
import type { Principal } from "../../base/principal.ts";
import type { ClientFrame, ClientFrameType, ManagerFrame } from "../../protocol/frames.ts";
import type { LogLevel } from "../../protocol/resources.ts";
import type { FrameScope, ViewMode } from "../view.ts";

export type FrameOf<T extends ClientFrameType> = Extract<ClientFrame, { type: T }>;

/** What a handler may see and touch of the connection that a frame came from. */
export interface HandlerContext {
  readonly control: Control;
  readonly principal: Principal;
  readonly view: ViewMode;
  readonly assetHash: string;
  readonly logMinLevel: LogLevel;
  setLogMinLevel(level: LogLevel): void;
  subscribeOutput(patterns: readonly string[]): void;
  unsubscribeOutput(patterns: readonly string[]): void;
  /** Queues every event of the past for this connection, so that an answer made now stands after them. */
  flushEvents(): void;
}

/** Accepted when it returns or resolves; answered by `ack` if there is a request_id, by `error` if it throws. */
export interface CommandHandler<F> {
  readonly kind: "command";
  readonly scope: (frame: F) => FrameScope;
  readonly run: (frame: F, context: HandlerContext) => void | Promise<void>;
}

/** Answered by frames of its own, the first of which echoes the request_id. Requests of a connection are answered one at a time. */
export interface RequestHandler<F> {
  readonly kind: "request";
  readonly scope: (frame: F) => FrameScope;
  readonly answer: (frame: F, context: HandlerContext) => ManagerFrame[] | Promise<ManagerFrame[]>;
}

export type Handler<F> = CommandHandler<F> | RequestHandler<F>;

/** Handlers of some frame types: one table a domain. */
export type HandlerTable<T extends ClientFrameType> = { readonly [K in T]: Handler<FrameOf<K>> };

export const byName = (frame: { name: string }): FrameScope => ({ kind: "name", name: frame.name });
export const aboutLog = (): FrameScope => ({ kind: "log" });
export const aboutOutput = (): FrameScope => ({ kind: "output" });
export const aboutEverything = (): FrameScope => ({ kind: "global" });
export const aboutOneself = (): FrameScope => ({ kind: "own" });
