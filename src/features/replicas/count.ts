import { integer } from "../../config/schema/schema-values.ts";

/** Maximum number of replicas of one process: what one row of the page can show, and far more than one machine needs. */
export const MAX_REPLICAS = 100;

export const replicaCount = integer(1, MAX_REPLICAS);
