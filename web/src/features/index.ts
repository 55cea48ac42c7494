import type { PageFeature } from "../actions/page-feature.ts";
import { dataPlane } from "./data-plane/index.ts";
import { displays } from "./displays/index.ts";
import { loggersFeature } from "./loggers/index.ts";
import { networkStatistics } from "./network-statistics/index.ts";
import { processList } from "./process-list/index.ts";
import { recordingsFeature } from "./recordings/index.ts";

/** The optional parts of the page, in the order of their entries in the navigation. */
export const features: readonly PageFeature[] = [dataPlane, recordingsFeature, loggersFeature, networkStatistics, processList, displays];
