import { integer } from "../../config/schema/schema-values.ts";
import { MAX_REPLICAS } from "./replica-names.ts";

/** The value of the key `replicas`. */
export const replicaCount = integer(1, MAX_REPLICAS);
