import { alertsConfig } from "./alerts/config.ts";
import { dataPlaneConfig } from "./data-plane/config.ts";
import { displaysConfig } from "./displays/config.ts";
import { loggersConfig } from "./loggers/config.ts";
import { networkStatisticsConfig } from "./network-statistics/config.ts";
import { recordingsConfig } from "./recordings/config.ts";
import { trustedProxyConfig } from "./trusted-proxy/config.ts";

/** The features that add to the configuration, in the order in which their keys are shown. */
export const CONFIG_FEATURES = {
  dataPlaneConfig,
  recordingsConfig,
  loggersConfig,
  displaysConfig,
  networkStatisticsConfig,
  alertsConfig,
  trustedProxyConfig,
};
