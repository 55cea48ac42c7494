import { arrayOf, nullable, optional, table } from "../../contract/field-types.ts";
import { event, type FeatureContract, result, row } from "../../contract/rows.ts";

const name = "string";

export const dataPlaneContract: FeatureContract = {
  clientFrames: {
    request_clients: row({}, "clients_snapshot"),
    request_parameters: row({ pattern: "string" }, "parameters_snapshot"),
    set_parameter_override: row(
      { service: "string", provider_id: "integer", parameter: "string", enabled: "boolean", value: "string" },
      "parameter_override_result",
    ),
    open_parameter_scope: row({ service: "string", provider_id: "integer", parameter: "string" }, "parameter_open_scope_result"),
    request_topics_stat: row({ sample_seconds: optional("number") }, "topics_stat"),
    request_topic_detail: row({ name }, "topic_detail"),
    trace_topic: row({ name, to: optional("string") }, "topic_trace"),
    request_topics: row({}, "topics_snapshot"),
    request_services: row({}, "services_snapshot"),
    // The documents give `max_rate` a maximum, but no default: it is sent.
    subscribe_topic: row({ name, max_rate: optional("number"), fields: optional(arrayOf("string")) }),
    unsubscribe_topic: row({ name }),
    publish_topic: row(
      { name, value: "anything", definition: optional("string"), definition_name: optional("string") },
      "topic_publish_result",
    ),
    call_service: row({ name, endpoint: "string", request: "anything" }, "service_call_result"),
  },
  managerFrames: {
    clients_snapshot: event({ clients: arrayOf(table("client")) }),
    client_upsert: event({ client: table("client") }),
    client_remove: event({ id: "integer" }),
    topic_upsert: event({ topic: table("topic") }),
    topic_remove: event({ name }),
    service_upsert: event({ service: table("service") }),
    service_remove: event({ name }),
    services_snapshot: event({ services: arrayOf(table("service")) }),
    parameters_snapshot: event({
      pattern: "string",
      parameters: arrayOf(table("parameter")),
      errors: arrayOf(table("parameter error")),
    }),
    parameter_override_result: result(
      { service: "string", provider_id: "integer", parameter: "string" },
      { enabled: "boolean", value: "string" },
    ),
    parameter_open_scope_result: result(
      { service: "string", provider_id: "integer", parameter: "string" },
      { topic: "string", process: "string" },
    ),
    topics_snapshot: event({ topics: arrayOf(table("topic")) }),
    topic_sample: event({ name, ts: "timestamp", value: "anything", undecoded: "integer", batch: optional(table("sample batch")) }),
    topic_trace: result({ name }, { steps: arrayOf(table("topic trace step")), wrong: nullable("integer") }),
    topics_stat: result({}, { sample_seconds: "number", topics: arrayOf(table("topic statistics")) }),
    topic_detail: result(
      { name },
      {
        topic: table("topic"),
        publisher: "anything",
        subscribers: "anything",
        definition: "anything",
        encoding: "string",
        keep_last: "boolean",
        priority: "integer",
        max_age_ms: nullable("integer"),
        reliable_within: nullable("integer"),
        kept_dropped: "integer",
        last_sample: "anything",
      },
    ),
    topic_publish_result: result({ name }, { subscribers: "integer" }),
    service_call_result: result({ name, endpoint: "string" }, { response: "anything" }),
  },
  resources: {
    topic: {
      name: "string",
      publisher: "string",
      publisher_host: "string",
      subscribers: "integer",
      publisher_rate: "number",
      published_packets: "integer",
      message_definition: "string",
      message_size: "integer",
      // docs/design/wire-rules.md, "Clients, topics, services, parameters and loggers"
      dropped_packets: "integer",
      problem: nullable("string"),
    },
    service: {
      name: "string",
      interface: "string",
      provider: "string",
      provider_host: "string",
      port: "integer",
      unix_socket: nullable("string"),
    },
    parameter: {
      id: "string",
      name: "string",
      service: "string",
      provider: "string",
      provider_id: "integer",
      description: "string",
      input: "string",
      output: "string",
      override_value: "string",
      override_enabled: "boolean",
      // docs/design/wire-rules.md, "Clients, topics, services, parameters and loggers"
      type: "string",
      unit: "string",
      minimum: nullable("number"),
      maximum: nullable("number"),
    },
    "parameter error": { provider: "string", provider_id: "integer", service: "string", message: "string" },
    "sample batch": { times: arrayOf("integer"), values: arrayOf(arrayOf(nullable("number"))) },
    "topic statistics": { name: "string", rate: "number", bytes_s: "number", packets: "integer" },
  },
  snapshot: { topics: arrayOf(table("topic")), services: arrayOf(table("service")) },
  untyped: { topic_detail: { publisher: null, subscribers: [], definition: "", last_sample: null } },
};
