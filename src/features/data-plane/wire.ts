/** Frames and snapshot fields of the data plane: clients, topics, services, parameters. */
import { clientCommands, clientEvents } from "./wire/client.ts";
import { parameterCommands, parameterFrames } from "./wire/parameter.ts";
import { serviceCommands, serviceFrames, serviceSnapshot } from "./wire/service.ts";
import { topicCommands, topicFrames, topicSnapshot } from "./wire/topic.ts";
import { topicTraceCommands, topicTraceFrames } from "./wire/topic-trace.ts";

export const dataPlaneCommands = { ...clientCommands, ...topicCommands, ...topicTraceCommands, ...serviceCommands, ...parameterCommands };
export const dataPlaneFrames = { ...clientEvents, ...topicFrames, ...topicTraceFrames, ...serviceFrames, ...parameterFrames };
export const dataPlaneSnapshot = { ...topicSnapshot, ...serviceSnapshot };
