import type { CliFeature } from "../cli/command/feature.ts";
import { accessTokensCli } from "./access-tokens/cli/index.ts";
import { alertsCli } from "./alerts/cli/index.ts";
import { auditCli } from "./audit/cli/index.ts";
import { completionCli } from "./completion/cli/index.ts";
import { crashReportsCli } from "./crash-reports/cli/index.ts";
import { dataPlaneCli } from "./data-plane/cli/index.ts";
import { displaysCli } from "./displays/cli/index.ts";
import { doctorCli } from "./doctor/cli/index.ts";
import { flightCli } from "./flight/cli/index.ts";
import { forwardCli } from "./forward/cli/index.ts";
import { importCli } from "./import/cli/index.ts";
import { limitsCli } from "./limits/cli/index.ts";
import { loadHistoryCli } from "./load-history/cli/index.ts";
import { loggersCli } from "./loggers/cli/index.ts";
import { managerRestartCli } from "./manager-restart/cli/index.ts";
import { mcpCli } from "./mcp/cli/index.ts";
import { modesCli } from "./modes/cli/index.ts";
import { networkStatisticsCli } from "./network-statistics/cli/index.ts";
import { notificationsCli } from "./notifications/cli/index.ts";
import { outputRunsCli } from "./output-runs/cli/index.ts";
import { outputSearchCli } from "./output-search/cli/index.ts";
import { portsCli } from "./ports/cli/index.ts";
import { presetsCli } from "./presets/cli/index.ts";
import { recordingsCli } from "./recordings/cli/index.ts";
import { replayCli } from "./replay/cli/index.ts";
import { replicasCli } from "./replicas/cli/index.ts";
import { rollingRestartCli } from "./rolling-restart/cli/index.ts";
import { runningSettingsCli } from "./running-settings/cli/index.ts";
import { scheduleCli } from "./schedule/cli/index.ts";
import { serviceCli } from "./service/cli/index.ts";
import { startAnalysisCli } from "./start-analysis/cli/index.ts";
import { storeForwardCli } from "./store-forward/cli/index.ts";
import { tagsCli } from "./tags/cli/index.ts";
import { topicLatencyCli } from "./topic-latency/cli/index.ts";
import { upgradesCli } from "./upgrades/cli/index.ts";

/** Additions of features to the command line, in the order of `mgr --help`. */
export const CLI_FEATURES: readonly CliFeature[] = [
  outputSearchCli,
  startAnalysisCli,
  runningSettingsCli,
  scheduleCli,
  replicasCli,
  rollingRestartCli,
  tagsCli,
  modesCli,
  alertsCli,
  auditCli,
  notificationsCli,
  limitsCli,
  outputRunsCli,
  displaysCli,
  forwardCli,
  loadHistoryCli,
  crashReportsCli,
  portsCli,
  dataPlaneCli,
  presetsCli,
  topicLatencyCli,
  storeForwardCli,
  networkStatisticsCli,
  recordingsCli,
  flightCli,
  replayCli,
  loggersCli,
  accessTokensCli,
  managerRestartCli,
  doctorCli,
  serviceCli,
  completionCli,
  mcpCli,
  importCli,
  upgradesCli,
];
