import { featureCommands, featureFrames } from "../../features/wire.ts";
import { processEvents } from "../process/process.ts";
import { processCommands, processResults } from "../process/process-commands.ts";
import { loadCommands, loadFrames } from "../process/process-load.ts";
import { outputCommands, outputFrames } from "../process/process-output.ts";
import { configCommands, configFrames } from "../resources/config.ts";
import { connectionCommands, connectionFrames } from "../resources/connection.ts";
import { hostEvents } from "../resources/host.ts";
import { logCommands, logFrames } from "../resources/log.ts";
import { groupCommands, treeEvents } from "../resources/tree.ts";
import type { ClientFrameSpec, ClientFrameValue, ManagerFrameSpec, ManagerFrameValue } from "./frame-table.ts";

/** Every frame that the manager sends. */
export const MANAGER_FRAMES = {
  ...connectionFrames,
  ...processEvents,
  ...processResults,
  ...treeEvents,
  ...outputFrames,
  ...hostEvents,
  ...logFrames,
  ...featureFrames,
  ...loadFrames,
  ...configFrames,
} as const satisfies Readonly<Record<string, ManagerFrameSpec>>;

type ManagerFrames = typeof MANAGER_FRAMES;
export type ManagerFrameType = keyof ManagerFrames;
export type ManagerFrameOf<T extends ManagerFrameType> = { [K in T]: ManagerFrameValue<K, ManagerFrames[K]> }[T];
/** A frame from manager to client. */
export type ManagerFrame = ManagerFrameOf<ManagerFrameType>;
export type ErrorFrame = ManagerFrameOf<"error">;
export type AckFrame = ManagerFrameOf<"ack">;

/** Frames that show a change of the manager's state. */
export type ChangeFrame = {
  [K in ManagerFrameType]: ManagerFrames[K] extends { readonly mergeKey: unknown } ? ManagerFrameOf<K> : never;
}[ManagerFrameType];

/** Every frame that a client may send, with the type of its answer. */
export const CLIENT_FRAMES = {
  ...connectionCommands,
  ...processCommands,
  ...groupCommands,
  ...outputCommands,
  ...logCommands,
  ...featureCommands,
  ...loadCommands,
  ...configCommands,
} as const satisfies Readonly<Record<string, ClientFrameSpec & { answer: ManagerFrameType | null }>>;

type ClientFrames = typeof CLIENT_FRAMES;
export type ClientFrameType = keyof ClientFrames;
/** The frame of a type. */
export type FrameOf<T extends ClientFrameType> = { [K in T]: ClientFrameValue<K, ClientFrames[K]> }[T];
/** A frame from client to manager. */
export type ClientFrame = FrameOf<ClientFrameType>;
/** The frame that answers a type; never if the answer is `ack`. */
export type AnswerOf<T extends ClientFrameType> = ManagerFrameOf<NonNullable<ClientFrames[T]["answer"]>>;

/** Whether a frame of this type exists; names such as `__proto__` and `constructor` do not. */
export function isClientFrameType(type: string): type is ClientFrameType {
  return Object.hasOwn(CLIENT_FRAMES, type);
}
