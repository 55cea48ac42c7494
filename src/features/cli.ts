import type { CliFeature } from "../cli/command/feature.ts";
import { dataPlaneCli } from "./data-plane/cli/index.ts";
import { displaysCli } from "./displays/cli/index.ts";
import { loadHistoryCli } from "./load-history/cli/index.ts";
import { loggersCli } from "./loggers/cli/index.ts";
import { networkStatisticsCli } from "./network-statistics/cli/index.ts";
import { outputSearchCli } from "./output-search/cli/index.ts";
import { recordingsCli } from "./recordings/cli/index.ts";

/** Additions of features to the command line, in the order of `mgr --help`. */
export const CLI_FEATURES: readonly CliFeature[] = [
  outputSearchCli,
  displaysCli,
  loadHistoryCli,
  dataPlaneCli,
  networkStatisticsCli,
  recordingsCli,
  loggersCli,
];
