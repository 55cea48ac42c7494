import { arrayOf, oneOf, table } from "../../contract/field-types.ts";
import { event, type FeatureContract, result, route, row } from "../../contract/rows.ts";

/** The documents leave `action` open: the verbs of the four commands. */
export const LOGGER_ACTIONS = ["configure", "start", "stop", "delete"];

const name = "string";

export const loggersContract: FeatureContract = {
  clientFrames: {
    configure_logger: row({ name, only_ts: "boolean", topics: arrayOf(table("configured logger topic")) }, "logger_action_result"),
    start_logger: row({ name }, "logger_action_result"),
    stop_logger: row({ name }, "logger_action_result"),
    request_loggers: row({}, "loggers_snapshot"),
    delete_logger: row({ name }, "logger_action_result"),
  },
  clientFrameParts: {
    "configured logger topic": { name: "string", log_size: "integer", divisor: "integer" },
  },
  managerFrames: {
    loggers_snapshot: event({ loggers: arrayOf(table("logger")) }),
    logger_upsert: event({ logger: table("logger") }),
    logger_remove: event({ name }),
    logger_action_result: result({ action: oneOf(...LOGGER_ACTIONS), name }),
  },
  resources: {
    logger: { name: "string", enabled: "boolean", active_topics: arrayOf("string"), topics: arrayOf(table("logger topic")) },
    "logger topic": {
      name: "string",
      log_size: "integer",
      divisor: "integer",
      only_ts: "boolean",
      enabled: "boolean",
      active: "boolean",
      n_samples: "integer",
      md_name: "string",
      port: "string",
    },
  },
  snapshot: { loggers: arrayOf(table("logger")) },
  routes: [
    // Without a query there is nothing to send.
    route(
      ["GET", "/mgr/logger-download"],
      { name: "string", format: oneOf("pickle", "matlab", "raw", "mcap", "csv"), stop: "flag" },
      "text/plain",
      { status: 400 },
    ),
  ],
};
