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
}

export function transportExtensions(features: readonly ExtendsTransport[]): TransportExtension[] {
  return features.flatMap(({ transport }) => transport ?? []);
}
