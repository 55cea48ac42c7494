import type { FeatureContract } from "../contract/rows.ts";
import { accessTokensContract } from "./access-tokens/contract.ts";
import { alertsContract } from "./alerts/contract.ts";
import { auditContract } from "./audit/contract.ts";
import { crashReportsContract } from "./crash-reports/contract.ts";
import { dataPlaneContract } from "./data-plane/contract.ts";
import { displaysContract } from "./displays/contract.ts";
import { flightContract } from "./flight/contract.ts";
import { forwardContract } from "./forward/contract.ts";
import { foxgloveContract } from "./foxglove/contract.ts";
import { limitsContract } from "./limits/contract.ts";
import { loadHistoryContract } from "./load-history/contract.ts";
import { loggersContract } from "./loggers/contract.ts";
import { mcpContract } from "./mcp/contract.ts";
import { modesContract } from "./modes/contract.ts";
import { networkStatisticsContract } from "./network-statistics/contract.ts";
import { notificationsContract } from "./notifications/contract.ts";
import { oidcContract } from "./oidc/contract.ts";
import { outputRunsContract } from "./output-runs/contract.ts";
import { outputSearchContract } from "./output-search/contract.ts";
import { portsContract } from "./ports/contract.ts";
import { presetsContract } from "./presets/contract.ts";
import { processListContract } from "./process-list/contract.ts";
import { recordingsContract } from "./recordings/contract.ts";
import { replayContract } from "./replay/contract.ts";
import { replicasContract } from "./replicas/contract.ts";
import { rollingRestartContract } from "./rolling-restart/contract.ts";
import { runningSettingsContract } from "./running-settings/contract.ts";
import { scheduleContract } from "./schedule/contract.ts";
import { startAnalysisContract } from "./start-analysis/contract.ts";
import { storeForwardContract } from "./store-forward/contract.ts";
import { tagsContract } from "./tags/contract.ts";
import { topicLatencyContract } from "./topic-latency/contract.ts";
import { upgradesContract } from "./upgrades/contract.ts";

/** The parts of the features in the tables of test/contract. */
export const FEATURE_CONTRACTS: readonly FeatureContract[] = [
  dataPlaneContract,
  presetsContract,
  recordingsContract,
  flightContract,
  replayContract,
  loggersContract,
  displaysContract,
  networkStatisticsContract,
  processListContract,
  loadHistoryContract,
  outputSearchContract,
  crashReportsContract,
  startAnalysisContract,
  portsContract,
  runningSettingsContract,
  alertsContract,
  limitsContract,
  outputRunsContract,
  auditContract,
  notificationsContract,
  accessTokensContract,
  mcpContract,
  oidcContract,
  scheduleContract,
  replicasContract,
  rollingRestartContract,
  tagsContract,
  modesContract,
  forwardContract,
  foxgloveContract,
  topicLatencyContract,
  storeForwardContract,
  upgradesContract,
];
