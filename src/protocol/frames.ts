import { clientCommands, clientEvents } from "./client.ts";
import { configCommands, configFrames } from "./config.ts";
import { connectionCommands, connectionFrames } from "./connection.ts";
import { displayEvents } from "./display.ts";
import type { ClientFrameSpec, ClientFrameValue, ManagerFrameSpec, ManagerFrameValue } from "./frame-table.ts";
import { hostEvents } from "./host.ts";
import { logCommands, logFrames } from "./log.ts";
import { loggerCommands, loggerFrames } from "./logger.ts";
import { networkCommands, networkFrames } from "./network.ts";
import { parameterCommands, parameterFrames } from "./parameter.ts";
import { processEvents } from "./process.ts";
import { processCommands, processResults } from "./process-commands.ts";
import { outputCommands, outputFrames } from "./process-output.ts";
import { serviceCommands, serviceFrames } from "./service.ts";
import { taskListCommands, taskListFrames } from "./task-list.ts";
import { topicCommands, topicFrames } from "./topic.ts";
import { topicSchedulingCommands, topicSchedulingFrames } from "./topic-scheduling.ts";
import { groupCommands, treeEvents } from "./tree.ts";

/** Every frame that the manager sends. */
export const MANAGER_FRAMES = {
  ...connectionFrames,
  ...processEvents,
  ...processResults,
  ...treeEvents,
  ...outputFrames,
  ...hostEvents,
  ...logFrames,
  ...clientEvents,
  ...topicFrames,
  ...topicSchedulingFrames,
  ...serviceFrames,
  ...loggerFrames,
  ...parameterFrames,
  ...taskListFrames,
  ...networkFrames,
  ...displayEvents,
  ...configFrames,
} as const satisfies Readonly<Record<string, ManagerFrameSpec>>;

type ManagerFrames = typeof MANAGER_FRAMES;
export type ManagerFrameType = keyof ManagerFrames;
export type ManagerFrameOf<T extends ManagerFrameType> = { [K in T]: ManagerFrameValue<K, ManagerFrames[K]> }[T];
/** A frame from manager to client. */
export type ManagerFrame = ManagerFrameOf<ManagerFrameType>;
export type ErrorFrame = ManagerFrameOf<"error">;
export type AckFrame = ManagerFrameOf<"ack">;

/** Every frame that a client may send, with the type of its answer. */
export const CLIENT_FRAMES = {
  ...connectionCommands,
  ...processCommands,
  ...groupCommands,
  ...outputCommands,
  ...logCommands,
  ...clientCommands,
  ...topicCommands,
  ...topicSchedulingCommands,
  ...serviceCommands,
  ...loggerCommands,
  ...parameterCommands,
  ...taskListCommands,
  ...networkCommands,
  ...configCommands,
} as const satisfies Readonly<Record<string, ClientFrameSpec & { answer: ManagerFrameType | null }>>;

type ClientFrames = typeof CLIENT_FRAMES;
export type ClientFrameType = keyof ClientFrames;
/** The frame of a type. */
export type FrameOf<T extends ClientFrameType> = { [K in T]: ClientFrameValue<K, ClientFrames[K]> }[T];
/** A frame from client to manager. */
export type ClientFrame = FrameOf<ClientFrameType>;
/** The frame that answers a type, or never where `ack` does. */
export type AnswerOf<T extends ClientFrameType> = ManagerFrameOf<NonNullable<ClientFrames[T]["answer"]>>;

/** Whether a frame of this type exists; names such as `__proto__` and `constructor` do not. */
export function isClientFrameType(type: string): type is ClientFrameType {
  return Object.hasOwn(CLIENT_FRAMES, type);
}
