import type { LiveFrames } from "../e2e/support/live-frames.ts";
import { accessTokensLive } from "./access-tokens/live-frames.ts";
import { alertsLive } from "./alerts/live-frames.ts";
import { auditLive } from "./audit/live-frames.ts";
import { crashReportsLive } from "./crash-reports/live-frames.ts";
import { dataPlaneLive } from "./data-plane/live-frames.ts";
import { flightLive } from "./flight/live-frames.ts";
import { forwardLive } from "./forward/live-frames.ts";
import { limitsLive } from "./limits/live-frames.ts";
import { loadHistoryLive } from "./load-history/live-frames.ts";
import { loggersLive } from "./loggers/live-frames.ts";
import { mcpLive } from "./mcp/live-frames.ts";
import { modesLive } from "./modes/live-frames.ts";
import { networkStatisticsLive } from "./network-statistics/live-frames.ts";
import { notificationsLive } from "./notifications/live-frames.ts";
import { outputRunsLive } from "./output-runs/live-frames.ts";
import { outputSearchLive } from "./output-search/live-frames.ts";
import { portsLive } from "./ports/live-frames.ts";
import { presetsLive } from "./presets/live-frames.ts";
import { processListLive } from "./process-list/live-frames.ts";
import { recordingsLive } from "./recordings/live-frames.ts";
import { replayLive } from "./replay/live-frames.ts";
import { replicasLive } from "./replicas/live-frames.ts";
import { rollingRestartLive } from "./rolling-restart/live-frames.ts";
import { runningSettingsLive } from "./running-settings/live-frames.ts";
import { startAnalysisLive } from "./start-analysis/live-frames.ts";
import { storeForwardLive } from "./store-forward/live-frames.ts";
import { topicLatencyLive } from "./topic-latency/live-frames.ts";
import { upgradesLive } from "./upgrades/live-frames.ts";

/** The frames of the features, sent to a live manager; those that use others come after them. */
export const LIVE_FRAMES: readonly LiveFrames[] = [
  dataPlaneLive,
  presetsLive,
  recordingsLive,
  flightLive,
  replayLive,
  loggersLive,
  networkStatisticsLive,
  processListLive,
  loadHistoryLive,
  outputSearchLive,
  alertsLive,
  limitsLive,
  crashReportsLive,
  startAnalysisLive,
  portsLive,
  runningSettingsLive,
  outputRunsLive,
  auditLive,
  notificationsLive,
  accessTokensLive,
  replicasLive,
  rollingRestartLive,
  modesLive,
  mcpLive,
  forwardLive,
  topicLatencyLive,
  storeForwardLive,
  upgradesLive,
];
