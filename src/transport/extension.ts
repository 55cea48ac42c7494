import { type CommandObserver, joinObservers } from "../base/command-observer.ts";
import type { featureCommands } from "../features/wire.ts";
import type { ClientFrameType } from "../protocol/frames/frames.ts";
import type { HandlerTable } from "./handlers/handler.ts";
import type { SnapshotPart } from "./snapshot-part.ts";

type FeatureFrameType = keyof typeof featureCommands;
/** Frames that every manager answers, whatever its features. */
export type CoreFrameType = Exclude<ClientFrameType, FeatureFrameType>;

/** Additions of a feature to the connections of clients. */
export interface TransportExtension extends SnapshotPart {
  /** The handlers of its frames. */
  readonly handlers: Partial<HandlerTable<FeatureFrameType>>;
}

/** The part of a feature that connections need. */
export interface ExtendsTransport {
  readonly transport?: TransportExtension;
  /** Sees every command of clients, and those of the manager itself, before they take effect. */
  readonly observer?: CommandObserver;
}

export function transportExtensions(features: readonly ExtendsTransport[]): TransportExtension[] {
  return features.flatMap(({ transport }) => transport ?? []);
}

/** The observer of commands; null: no feature observes them. */
export function commandObserver(features: readonly ExtendsTransport[]): CommandObserver | null {
  return joinObservers(features.flatMap(({ observer }) => observer ?? []));
}
