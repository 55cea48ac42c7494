import { alertsConfig } from "./alerts/config.ts";
import { auditConfig } from "./audit/config.ts";
import { dataPlaneConfig } from "./data-plane/config.ts";
import { displaysConfig } from "./displays/config.ts";
import { flightConfig } from "./flight/config.ts";
import { forwardConfig } from "./forward/config.ts";
import { limitsConfig } from "./limits/config.ts";
import { loadHistoryConfig } from "./load-history/config.ts";
import { loggersConfig } from "./loggers/config.ts";
import { managerRestartConfig } from "./manager-restart/config.ts";
import { modesConfig } from "./modes/config.ts";
import { networkStatisticsConfig } from "./network-statistics/config.ts";
import { notificationsConfig } from "./notifications/config.ts";
import { oidcConfig } from "./oidc/config.ts";
import { presetsConfig } from "./presets/config.ts";
import { recordingsConfig } from "./recordings/config.ts";
import { replicasConfig } from "./replicas/config.ts";
import { scheduleConfig } from "./schedule/config.ts";
import { storeForwardConfig } from "./store-forward/config.ts";
import { tagsConfig } from "./tags/config.ts";
import { topicHealthConfig } from "./topic-health/config.ts";
import { trustedProxyConfig } from "./trusted-proxy/config.ts";

/** The features that add to the configuration, in the order in which their keys are shown. */
export const CONFIG_FEATURES = {
  dataPlaneConfig,
  presetsConfig,
  recordingsConfig,
  flightConfig,
  storeForwardConfig,
  loggersConfig,
  displaysConfig,
  forwardConfig,
  networkStatisticsConfig,
  loadHistoryConfig,
  alertsConfig,
  auditConfig,
  notificationsConfig,
  limitsConfig,
  scheduleConfig,
  replicasConfig,
  tagsConfig,
  modesConfig,
  topicHealthConfig,
  trustedProxyConfig,
  oidcConfig,
  managerRestartConfig,
};
