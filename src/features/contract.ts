import { ALERT_HEARTBEAT, ALERT_NEWS, ALERT_REQUESTS, NO_ALERTS } from "./alerts/contract.ts";
import { CRASH_REPORT_NEWS, CRASH_REPORT_REQUESTS, CRASH_RUN } from "./crash-reports/contract.ts";
import { DATA_PLANE_CHECKS, DATA_PLANE_HEARTBEAT, DATA_PLANE_NEWS, DATA_PLANE_REQUESTS, NO_DATA_PLANE } from "./data-plane/contract.ts";
import { X11_NEWS, X11_REQUESTS, X11_RUN } from "./displays/contract.ts";
import { FLIGHT_HEARTBEAT, FLIGHT_NEWS, FLIGHT_REQUESTS, NO_FLIGHT } from "./flight/contract.ts";
import { HOST_CLOCK_REQUESTS } from "./host-clocks/contract.ts";
import { LIMIT_HEARTBEAT, LIMIT_NEWS, LIMIT_REQUESTS, NO_LIMITS } from "./limits/contract.ts";
import { LOAD_HISTORY_NEWS, LOAD_HISTORY_REQUESTS } from "./load-history/contract.ts";
import { LOGGER_REQUESTS } from "./loggers/contract.ts";
import { MANAGER_RESTART_REQUESTS } from "./manager-restart/contract.ts";
import { NETWORK_REQUESTS } from "./network-statistics/contract.ts";
import { OUTPUT_RUNS_REQUESTS } from "./output-runs/contract.ts";
import { OUTPUT_SEARCH_REQUESTS } from "./output-search/contract.ts";
import { PORT_REQUESTS } from "./ports/contract.ts";
import { PROCESS_LIST_REQUESTS } from "./process-list/contract.ts";
import { NO_RECORDINGS, RECORDING_HEARTBEAT, RECORDING_NEWS, RECORDING_REQUESTS } from "./recordings/contract.ts";
import { NO_PLAYBACKS, REPLAY_HEARTBEAT, REPLAY_NEWS, REPLAY_REQUESTS } from "./replay/contract.ts";
import { RUNNING_SETTINGS_REQUESTS } from "./running-settings/contract.ts";
import { STORE_FORWARD_REQUESTS } from "./store-forward/contract.ts";
import { PUBLISHING, TOPIC_PROBE } from "./topic-health/contract.ts";
import { TOPIC_LATENCY_REQUESTS } from "./topic-latency/contract.ts";
import { UPGRADE_REQUESTS } from "./upgrades/contract.ts";

/** Requests of features; part of HOST_REQUESTS. */
export const FEATURE_REQUESTS = {
  ...DATA_PLANE_REQUESTS,
  ...HOST_CLOCK_REQUESTS,
  ...RECORDING_REQUESTS,
  ...REPLAY_REQUESTS,
  ...LOGGER_REQUESTS,
  ...X11_REQUESTS,
  ...NETWORK_REQUESTS,
  ...PROCESS_LIST_REQUESTS,
  ...LOAD_HISTORY_REQUESTS,
  ...OUTPUT_SEARCH_REQUESTS,
  ...CRASH_REPORT_REQUESTS,
  ...PORT_REQUESTS,
  ...RUNNING_SETTINGS_REQUESTS,
  ...ALERT_REQUESTS,
  ...LIMIT_REQUESTS,
  ...OUTPUT_RUNS_REQUESTS,
  ...MANAGER_RESTART_REQUESTS,
  ...FLIGHT_REQUESTS,
  ...TOPIC_LATENCY_REQUESTS,
  ...STORE_FORWARD_REQUESTS,
  ...UPGRADE_REQUESTS,
} as const;

/** Messages of features that a host sends, by the last part of the subject. */
export const HOST_NEWS = {
  ...DATA_PLANE_NEWS,
  ...RECORDING_NEWS,
  ...REPLAY_NEWS,
  ...X11_NEWS,
  ...LOAD_HISTORY_NEWS,
  ...CRASH_REPORT_NEWS,
  ...ALERT_NEWS,
  ...LIMIT_NEWS,
  ...FLIGHT_NEWS,
} as const;

/** Fields of features in a heartbeat. */
export const FEATURE_HEARTBEAT = {
  ...DATA_PLANE_HEARTBEAT,
  ...RECORDING_HEARTBEAT,
  ...REPLAY_HEARTBEAT,
  ...ALERT_HEARTBEAT,
  ...LIMIT_HEARTBEAT,
  ...FLIGHT_HEARTBEAT,
} as const;

/** Fields of features in a RunSpec; none is a reason to restart a run. */
export const FEATURE_RUN = { ...X11_RUN, ...CRASH_RUN } as const;

/** Probes of features: whether a process is ready, and whether it is still alive. */
export const FEATURE_PROBES = [TOPIC_PROBE] as const;

/** Conditions of dependencies that features add: `RunCheck` says which of them hold. */
export const FEATURE_CONDITIONS = [PUBLISHING] as const;

/** Answers of a host that cannot provide a feature, to requests that the manager sends by itself. */
export const EMPTY_ANSWERS = { ...NO_DATA_PLANE, ...NO_RECORDINGS, ...NO_PLAYBACKS, ...NO_ALERTS, ...NO_LIMITS, ...NO_FLIGHT } as const;

/** Checks that features give the registries of manager and hosts. */
export const FEATURE_CHECKS = { ...DATA_PLANE_CHECKS } as const;
