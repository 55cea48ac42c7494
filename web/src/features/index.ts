import type { PageFeature } from "../actions/page-feature.ts";
import { accessTokens } from "./access-tokens/index.ts";
import { alertsFeature } from "./alerts/index.ts";
import { auditFeature } from "./audit/index.ts";
import { crashReports } from "./crash-reports/index.ts";
import { dataPlane } from "./data-plane/index.ts";
import { displays } from "./displays/index.ts";
import { flightFeature } from "./flight/index.ts";
import { forwardFeature } from "./forward/index.ts";
import { limitsFeature } from "./limits/index.ts";
import { loadHistory } from "./load-history/index.ts";
import { loggersFeature } from "./loggers/index.ts";
import { mcpFeature } from "./mcp/index.ts";
import { modesFeature } from "./modes/index.ts";
import { networkStatistics } from "./network-statistics/index.ts";
import { notificationsFeature } from "./notifications/index.ts";
import { outputRuns } from "./output-runs/index.ts";
import { outputSearchFeature } from "./output-search/index.ts";
import { ports } from "./ports/index.ts";
import { presetsFeature } from "./presets/index.ts";
import { processList } from "./process-list/index.ts";
import { recordingsFeature } from "./recordings/index.ts";
import { replayFeature } from "./replay/index.ts";
import { replicasFeature } from "./replicas/index.ts";
import { rollingRestartFeature } from "./rolling-restart/index.ts";
import { runningSettings } from "./running-settings/index.ts";
import { scheduleFeature } from "./schedule/index.ts";
import { startAnalysis } from "./start-analysis/index.ts";
import { storeForwardFeature } from "./store-forward/index.ts";
import { tagsFeature } from "./tags/index.ts";
import { topicLatencyFeature } from "./topic-latency/index.ts";
import { upgradesFeature } from "./upgrades/index.ts";

/** The optional parts of the page, in the order of their entries in the navigation. */
export const features: readonly PageFeature[] = [
  outputSearchFeature,
  dataPlane,
  presetsFeature,
  topicLatencyFeature,
  storeForwardFeature,
  recordingsFeature,
  replayFeature,
  loggersFeature,
  networkStatistics,
  loadHistory,
  processList,
  displays,
  crashReports,
  flightFeature,
  startAnalysis,
  ports,
  runningSettings,
  alertsFeature,
  notificationsFeature,
  limitsFeature,
  outputRuns,
  auditFeature,
  accessTokens,
  scheduleFeature,
  replicasFeature,
  rollingRestartFeature,
  tagsFeature,
  modesFeature,
  mcpFeature,
  forwardFeature,
  upgradesFeature,
];
