import { z } from "zod";
import { firstIssue, MgrError, messageOf } from "../../../base/errors.ts";
import type { Bus } from "../../../bus/client/bus.ts";
import { parameterMatcher } from "../parameter-name.ts";
import type { Parameter } from "../wire/parameter.ts";
import type { KnownClient, KnownService } from "./broker-tables.ts";
import type { FoundParameters, NamedParameter, OverrideChange } from "./data-plane.ts";
import type { DataPlaneTables } from "./data-plane-tables.ts";
import { callEndpoint, interfaceName } from "./service-calls.ts";

const INTERFACE = "mgr.parameters.v1";
/** Time-out of a list, milliseconds. All providers are requested at the same time, so the whole answer takes little longer. */
const LIST_TIMEOUT_MS = 1_800;
const CHANGE_TIMEOUT_MS = 5_000;

const list = z.object({
  parameters: z.array(
    z.object({
      name: z.string(),
      type: z.string().default(""),
      unit: z.string().default(""),
      minimum: z.number().nullable().default(null),
      maximum: z.number().nullable().default(null),
      description: z.string().default(""),
      input: z.string().default(""),
      output: z.string().default(""),
      override_value: z.string().default(""),
      override_enabled: z.boolean().default(false),
    }),
  ),
});
const overridden = z.object({ enabled: z.boolean(), value: z.string() });
const topicAnswer = z.object({ topic: z.string().min(1) });

interface Provider {
  readonly id: number;
  readonly name: string;
  readonly service: KnownService;
}

/** Parameters of all clients (docs/clients.md, "Parameters"). Nothing is stored: each request goes to the providers. */
export class Parameters {
  readonly #tables: DataPlaneTables;
  readonly #bus: Promise<Bus> | null;

  constructor(tables: DataPlaneTables, bus: Promise<Bus> | null) {
    this.#tables = tables;
    this.#bus = bus;
  }

  /** `isSeen`: whether the parameters of a client are in view; others are not requested. */
  async find(pattern: string, isSeen: (provider: KnownClient) => boolean): Promise<FoundParameters> {
    const matches = parameterMatcher(pattern);
    const found: FoundParameters = { parameters: [], errors: [] };
    const answers = await Promise.all(this.#providers(isSeen).map(async (provider) => ({ provider, answer: await this.#ask(provider) })));
    for (const { provider, answer } of answers) {
      const service = provider.service.record.name;
      if (typeof answer === "string") {
        found.errors.push({ provider: provider.name, provider_id: provider.id, service, message: answer });
        continue;
      }
      found.parameters.push(...answer.filter(matches));
    }
    return found;
  }

  async override({ enabled, value, ...named }: OverrideChange): Promise<{ enabled: boolean; value: string }> {
    const { parameter } = named;
    return this.#call(named, { endpoint: "set_override", request: { parameter, enabled, value } }, overridden);
  }

  /** Requests the topic on which the provider publishes the parameter from now on. */
  async topicOf(named: NamedParameter): Promise<string> {
    const { topic } = await this.#call(named, { endpoint: "request_topic", request: { parameter: named.parameter } }, topicAnswer);
    return topic;
  }

  #providers(isSeen: (provider: KnownClient) => boolean = () => true): Provider[] {
    return this.#tables.allInstances().flatMap((service) => {
      const client = service.broker.owner(service.record);
      return client !== undefined && interfaceName(service) === INTERFACE && isSeen(client)
        ? [{ id: client.id, name: client.record.name, service }]
        : [];
    });
  }

  /** The provider's parameters, or the reason why it did not report them. */
  async #ask({ id, name: provider, service }: Provider): Promise<Parameter[] | string> {
    try {
      const answer = list.safeParse(await callEndpoint(this.#bus, service, { endpoint: "list", request: {}, timeoutMs: LIST_TIMEOUT_MS }));
      if (!answer.success) return `its answer does not fit the interface of parameters (docs/clients.md): ${firstIssue(answer.error)}`;
      const { name: serviceName } = service.record;
      return answer.data.parameters.map(({ name, ...rest }) => ({
        id: `${id}:${serviceName}:${name}`,
        name,
        service: serviceName,
        provider,
        provider_id: id,
        ...rest,
      }));
    } catch (error) {
      return messageOf(error);
    }
  }

  async #call<T>({ service, provider_id }: NamedParameter, call: { endpoint: string; request: object }, schema: z.ZodType<T>): Promise<T> {
    const provider = this.#providers().find((each) => each.id === provider_id && each.service.record.name === service);
    if (provider === undefined)
      throw new MgrError("not_found", `no client with the id ${provider_id} provides the parameters '${service}'; it may have gone`);
    const answer = schema.safeParse(await callEndpoint(this.#bus, provider.service, { ...call, timeoutMs: CHANGE_TIMEOUT_MS }));
    if (answer.success) return answer.data;
    throw new MgrError(
      "conflict",
      `the answer of '${service}' to ${call.endpoint} does not fit the interface of parameters (docs/clients.md): ${firstIssue(answer.error)}`,
    );
  }
}
