import type { ManagerFeature } from "../app/feature.ts";
import { accessTokens } from "./access-tokens/manager/index.ts";
import { alerts } from "./alerts/manager/index.ts";
import { audit } from "./audit/manager/index.ts";
import { crashReports } from "./crash-reports/manager/index.ts";
import { dataPlane } from "./data-plane/manager/index.ts";
import { displays } from "./displays/manager/index.ts";
import { flight } from "./flight/manager/index.ts";
import { forward } from "./forward/manager/index.ts";
import { foxglove } from "./foxglove/manager/index.ts";
import { hostClocks } from "./host-clocks/manager/index.ts";
import { limits } from "./limits/manager/index.ts";
import { loadHistory } from "./load-history/manager/index.ts";
import { loggers } from "./loggers/manager/index.ts";
import { managerRestart } from "./manager-restart/manager/index.ts";
import { mcp } from "./mcp/manager/index.ts";
import { modes } from "./modes/manager/index.ts";
import { networkStatistics } from "./network-statistics/manager/index.ts";
import { notifications } from "./notifications/manager/index.ts";
import { oidc } from "./oidc/manager/index.ts";
import { outputRuns } from "./output-runs/manager/index.ts";
import { outputSearch } from "./output-search/manager/index.ts";
import { ports } from "./ports/manager/index.ts";
import { presets } from "./presets/manager/index.ts";
import { processList } from "./process-list/manager/index.ts";
import { recordings } from "./recordings/manager/index.ts";
import { replay } from "./replay/manager/index.ts";
import { replicas } from "./replicas/manager/index.ts";
import { rollingRestart } from "./rolling-restart/manager/index.ts";
import { runningSettings } from "./running-settings/manager/index.ts";
import { schedule } from "./schedule/manager/index.ts";
import { service } from "./service/manager/index.ts";
import { startAnalysis } from "./start-analysis/manager/index.ts";
import { storeForward } from "./store-forward/manager/index.ts";
import { tags } from "./tags/manager/index.ts";
import { topicHealth } from "./topic-health/manager/index.ts";
import { topicLatency } from "./topic-latency/manager/index.ts";
import { trustedProxy } from "./trusted-proxy/manager/index.ts";
import { upgrades } from "./upgrades/manager/index.ts";

/** The features of the manager; those that use others come after them. */
export const MANAGER_FEATURES: readonly ManagerFeature[] = [
  dataPlane,
  presets,
  hostClocks,
  recordings,
  flight,
  replay,
  loggers,
  displays,
  networkStatistics,
  processList,
  loadHistory,
  outputSearch,
  crashReports,
  startAnalysis,
  ports,
  runningSettings,
  alerts,
  limits,
  outputRuns,
  audit,
  notifications,
  accessTokens,
  trustedProxy,
  oidc,
  managerRestart,
  service,
  mcp,
  schedule,
  replicas,
  rollingRestart,
  tags,
  topicHealth,
  topicLatency,
  storeForward,
  modes,
  forward,
  foxglove,
  upgrades,
];
