import { MgrError } from "../../../base/errors.ts";
import type { ClientParameter } from "./client-parameter.ts";
import type { ServiceInterface } from "./micro-service.ts";
import type { TopicPublisher } from "./topic-publisher.ts";

export const PARAMETER_INTERFACE: ServiceInterface = {
  name: "mgr.parameters.v1",
  endpoints: {
    list: { description: "All parameters with their values" },
    set_override: {
      description: "Sets, enables or disables the override of one parameter",
      request: {
        type: "object",
        properties: { parameter: { type: "string" }, enabled: { type: "boolean" }, value: { type: "string" } },
        required: ["parameter", "enabled"],
      },
    },
    request_topic: {
      description: "Publishes one parameter from now on",
      request: { type: "object", properties: { parameter: { type: "string" } }, required: ["parameter"] },
      response: { type: "object", properties: { topic: { type: "string" } }, required: ["topic"] },
    },
  },
};

/** Pause between two messages of a parameter that changes, and of one that does not, milliseconds. */
const CHANGED_MS = 20;
const UNCHANGED_MS = 100;

interface Published {
  readonly publisher: TopicPublisher;
  text: string;
  at: number;
}

/** Answers requests for the parameters of one client (docs/clients.md, "Parameters"). */
export class ParameterService {
  readonly #parameters = new Map<string, ClientParameter>();
  readonly #topics = new Map<string, Promise<string>>();
  readonly #published = new Map<ClientParameter, Published>();
  readonly #open: (parameter: ClientParameter) => Promise<TopicPublisher>;
  #timer: ReturnType<typeof setInterval> | undefined;

  /** `open` makes the publisher of a parameter's topic. */
  constructor(open: (parameter: ClientParameter) => Promise<TopicPublisher>) {
    this.#open = open;
  }

  /** Throws `conflict` for a second parameter of the same name. */
  add(parameter: ClientParameter): void {
    if (this.#parameters.has(parameter.name)) throw new MgrError("conflict", `this client already has a parameter '${parameter.name}'`);
    this.#parameters.set(parameter.name, parameter);
  }

  answer(request: unknown, endpoint: string): unknown {
    if (endpoint === "list") return { parameters: [...this.#parameters.values()].map((parameter) => parameter.describe()) };
    const fields = Object(request) as { parameter?: unknown; enabled?: unknown; value?: unknown };
    const parameter = this.#parameters.get(String(fields.parameter));
    if (!parameter) throw new MgrError("bad_field", `this client has no parameter '${String(fields.parameter).slice(0, 100)}'`);
    if (endpoint === "request_topic") return this.#publish(parameter);
    if (typeof fields.enabled !== "boolean") throw new MgrError("bad_field", "'enabled' must be true or false");
    return parameter.setOverride(fields.enabled, fields.value);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #publish(parameter: ClientParameter): Promise<{ topic: string }> {
    const known = this.#topics.get(parameter.name) ?? this.#begin(parameter);
    this.#topics.set(parameter.name, known);
    // A failure is retried with the next request.
    known.catch(() => this.#topics.delete(parameter.name));
    return { topic: await known };
  }

  async #begin(parameter: ClientParameter): Promise<string> {
    const publisher = await this.#open(parameter);
    this.#published.set(parameter, { publisher, text: "", at: 0 });
    this.#timer ??= setInterval(() => this.#tick(), CHANGED_MS).unref();
    return publisher.topic;
  }

  #tick(): void {
    const now = performance.now();
    for (const [parameter, published] of this.#published) {
      const value = { input: parameter.input, output: parameter.value };
      const text = `${value.input} ${value.output}`;
      if (text === published.text && now - published.at < UNCHANGED_MS) continue;
      published.text = text;
      published.at = now;
      published.publisher.publish(value);
    }
  }
}
