import { processEvents } from "../process/process.ts";
import { processCommands, processResults } from "../process/process-commands.ts";
import { loadCommands, loadFrames } from "../process/process-load.ts";
import { outputCommands, outputFrames } from "../process/process-output.ts";
import { taskListCommands, taskListFrames } from "../process/task-list.ts";
import { clientCommands, clientEvents } from "../resources/client.ts";
import { configCommands, configFrames } from "../resources/config.ts";
import { connectionCommands, connectionFrames } from "../resources/connection.ts";
import { displayEvents } from "../resources/display.ts";
import { hostEvents } from "../resources/host.ts";
import { logCommands, logFrames } from "../resources/log.ts";
import { loggerCommands, loggerFrames } from "../resources/logger.ts";
import { networkCommands, networkFrames } from "../resources/network.ts";
import { parameterCommands, parameterFrames } from "../resources/parameter.ts";
import { recordingCommands, recordingFrames } from "../resources/recording.ts";
import { serviceCommands, serviceFrames } from "../resources/service.ts";
import { topicCommands, topicFrames } from "../resources/topic.ts";
import { topicSchedulingCommands, topicSchedulingFrames } from "../resources/topic-scheduling.ts";
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
  ...clientEvents,
  ...topicFrames,
  ...topicSchedulingFrames,
  ...serviceFrames,
  ...loggerFrames,
  ...recordingFrames,
  ...parameterFrames,
  ...loadFrames,
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
  ...recordingCommands,
  ...parameterCommands,
  ...loadCommands,
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
/** The frame that answers a type; never if the answer is `ack`. */
export type AnswerOf<T extends ClientFrameType> = ManagerFrameOf<NonNullable<ClientFrames[T]["answer"]>>;

/** Whether a frame of this type exists; names such as `__proto__` and `constructor` do not. */
export function isClientFrameType(type: string): type is ClientFrameType {
  return Object.hasOwn(CLIENT_FRAMES, type);
}
