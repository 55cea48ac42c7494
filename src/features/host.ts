import { alertsHost } from "./alerts/host/index.ts";
import { crashReportsHost } from "./crash-reports/host/index.ts";
import { dataPlaneHost } from "./data-plane/host/index.ts";
import { displaysHost } from "./displays/host/index.ts";
import { flightHost } from "./flight/host/index.ts";
import { hostClocksHost } from "./host-clocks/host/index.ts";
import { limitsHost } from "./limits/host/index.ts";
import { loadHistoryHost } from "./load-history/host/index.ts";
import { loggersHost } from "./loggers/host/index.ts";
import { managerRestartHost } from "./manager-restart/host/index.ts";
import { networkHost } from "./network-statistics/host/index.ts";
import { outputRunsHost } from "./output-runs/host/index.ts";
import { outputSearchHost } from "./output-search/host/index.ts";
import { portsHost } from "./ports/host/index.ts";
import { processListHost } from "./process-list/host/index.ts";
import { recordingsHost } from "./recordings/host/index.ts";
import { replayHost } from "./replay/host/index.ts";
import { runningSettingsHost } from "./running-settings/host/index.ts";
import { storeForwardHost } from "./store-forward/host/index.ts";
import { topicHealthHost } from "./topic-health/host/index.ts";
import { topicLatencyHost } from "./topic-latency/host/index.ts";
import { upgradesHost } from "./upgrades/host/index.ts";

/** The features of every host. Those that others use come first. */
export const HOST_FEATURES = [
  dataPlaneHost,
  hostClocksHost,
  recordingsHost,
  replayHost,
  loggersHost,
  displaysHost,
  networkHost,
  processListHost,
  loadHistoryHost,
  outputSearchHost,
  crashReportsHost,
  portsHost,
  runningSettingsHost,
  alertsHost,
  limitsHost,
  outputRunsHost,
  managerRestartHost,
  topicHealthHost,
  flightHost,
  topicLatencyHost,
  storeForwardHost,
  upgradesHost,
] as const;
