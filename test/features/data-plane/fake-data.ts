import type { Parameter } from "../../../src/features/data-plane/wire/parameter.ts";
import type { Service } from "../../../src/features/data-plane/wire/service.ts";
import type { Topic } from "../../../src/features/data-plane/wire/topic.ts";

export function fakeTopic(name: string, change: Partial<Topic> = {}): Topic {
  return {
    name,
    publisher: "arm/controller",
    publisher_host: "rt1",
    subscribers: 2,
    publisher_rate: 200,
    published_packets: 1_000,
    message_definition: "demo/msg/ArmState",
    message_size: 128,
    dropped_packets: 0,
    problem: null,
    limits: [],
    ...change,
  };
}

export function fakeService(name: string, change: Partial<Service> = {}): Service {
  return {
    name,
    interface: JSON.stringify({
      name: "demo.MoveTo",
      endpoints: { call: { request: { type: "object" }, response: {}, description: "moves" }, stop: {} },
    }),
    provider: "arm/controller",
    provider_host: "rt1",
    port: 4711,
    unix_socket: null,
    ...change,
  };
}

export function fakeParameter(name: string, change: Partial<Parameter> = {}): Parameter {
  return {
    id: `3:arm/parameters:${name}`,
    name,
    service: "arm/parameters",
    provider: "arm",
    provider_id: 3,
    description: "",
    input: "1",
    output: "1",
    override_value: "1",
    override_enabled: false,
    type: "float",
    unit: "",
    minimum: null,
    maximum: null,
    ...change,
  };
}
