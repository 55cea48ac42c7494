/**
 * The part of the features in the protocol: their frames, and their fields of a snapshot. Each of the lists in this folder names all
 * features for one side; nothing else outside of a feature names it.
 */

import { accessTokenCommands, accessTokenFrames } from "./access-tokens/wire.ts";
import { alertCommands, alertFrames, alertSnapshot } from "./alerts/wire.ts";
import { auditCommands, auditFrames } from "./audit/wire.ts";
import { crashReportCommands, crashReportFrames } from "./crash-reports/wire.ts";
import { dataPlaneCommands, dataPlaneFrames, dataPlaneSnapshot } from "./data-plane/wire.ts";
import { displayEvents } from "./displays/wire.ts";
import { flightCommands, flightFrames } from "./flight/wire.ts";
import { forwardCommands, forwardFrames } from "./forward/wire.ts";
import { limitCommands, limitFrames, limitSnapshot } from "./limits/wire.ts";
import { loadHistoryCommands, loadHistoryFrames } from "./load-history/wire.ts";
import { loggerCommands, loggerFrames, loggerSnapshot } from "./loggers/wire.ts";
import { mcpCommands, mcpFrames } from "./mcp/wire.ts";
import { modeCommands, modeFrames, modeSnapshot } from "./modes/wire.ts";
import { networkCommands, networkFrames } from "./network-statistics/wire.ts";
import { notificationCommands, notificationFrames } from "./notifications/wire.ts";
import { outputRunsCommands, outputRunsFrames } from "./output-runs/wire.ts";
import { outputSearchCommands, outputSearchFrames } from "./output-search/wire.ts";
import { portCommands, portFrames } from "./ports/wire.ts";
import { presetCommands, presetFrames } from "./presets/wire.ts";
import { topicSchedulingCommands, topicSchedulingFrames } from "./process-list/topic-scheduling.ts";
import { taskListCommands, taskListFrames } from "./process-list/wire.ts";
import { recordingCommands, recordingFrames } from "./recordings/wire.ts";
import { replayCommands, replayFrames } from "./replay/wire.ts";
import { replicaCommands, replicaFrames, replicaSnapshot } from "./replicas/wire.ts";
import { rollingRestartCommands, rollingRestartFrames, rollingRestartSnapshot } from "./rolling-restart/wire.ts";
import { runningSettingsCommands, runningSettingsFrames } from "./running-settings/wire.ts";
import { scheduleFrames, scheduleSnapshot } from "./schedule/wire.ts";
import { startAnalysisCommands, startAnalysisFrames } from "./start-analysis/wire.ts";
import { storeForwardCommands, storeForwardFrames } from "./store-forward/wire.ts";
import { tagFrames, tagSnapshot } from "./tags/wire.ts";
import { topicLatencyCommands, topicLatencyFrames } from "./topic-latency/wire.ts";
import { upgradeCommands, upgradeFrames } from "./upgrades/wire.ts";

/** Frames that clients send. */
export const featureCommands = {
  ...dataPlaneCommands,
  ...topicSchedulingCommands,
  ...topicLatencyCommands,
  ...storeForwardCommands,
  ...loggerCommands,
  ...recordingCommands,
  ...flightCommands,
  ...replayCommands,
  ...taskListCommands,
  ...networkCommands,
  ...loadHistoryCommands,
  ...outputSearchCommands,
  ...crashReportCommands,
  ...startAnalysisCommands,
  ...portCommands,
  ...runningSettingsCommands,
  ...alertCommands,
  ...limitCommands,
  ...outputRunsCommands,
  ...auditCommands,
  ...notificationCommands,
  ...accessTokenCommands,
  ...replicaCommands,
  ...rollingRestartCommands,
  ...modeCommands,
  ...presetCommands,
  ...mcpCommands,
  ...forwardCommands,
  ...upgradeCommands,
};

/** Frames that the manager sends. */
export const featureFrames = {
  ...dataPlaneFrames,
  ...topicSchedulingFrames,
  ...topicLatencyFrames,
  ...storeForwardFrames,
  ...loggerFrames,
  ...recordingFrames,
  ...flightFrames,
  ...replayFrames,
  ...taskListFrames,
  ...networkFrames,
  ...loadHistoryFrames,
  ...outputSearchFrames,
  ...crashReportFrames,
  ...startAnalysisFrames,
  ...portFrames,
  ...runningSettingsFrames,
  ...alertFrames,
  ...limitFrames,
  ...outputRunsFrames,
  ...auditFrames,
  ...notificationFrames,
  ...accessTokenFrames,
  ...mcpFrames,
  ...scheduleFrames,
  ...tagFrames,
  ...replicaFrames,
  ...rollingRestartFrames,
  ...modeFrames,
  ...presetFrames,
  ...forwardFrames,
  ...upgradeFrames,
  ...displayEvents,
};

/** Fields of a snapshot; empty on a connection that does not have the whole manager in view. */
export const featureSnapshotFields = {
  ...dataPlaneSnapshot,
  ...loggerSnapshot,
  ...alertSnapshot,
  ...limitSnapshot,
  ...scheduleSnapshot,
  ...replicaSnapshot,
  ...rollingRestartSnapshot,
  ...tagSnapshot,
  ...modeSnapshot,
};
