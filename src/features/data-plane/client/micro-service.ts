import { randomBytes } from "node:crypto";
import { headers } from "@nats-io/nats-core";
import { MgrError, messageOf } from "../../../base/errors.ts";
import { parseJson } from "../../../base/json.ts";
import { topicNameProblem } from "../../../base/topics/topic-subject.ts";
import type { BusMessage, BusSubscription } from "../../../bus/broker/bus-message.ts";
import type { Bus } from "../../../bus/client/bus.ts";
import { jsonText } from "../samples/json-text.ts";
import { ServiceError } from "./service-error.ts";

/** Answers one request; the result is the response. Throw ServiceError to choose the code of an error. */
export type ServiceHandler = (request: unknown, endpoint: string) => unknown;

export interface ServiceInterface {
  readonly name: string;
  /** JSON Schemas of request and response by endpoint. */
  readonly endpoints: Readonly<Record<string, { readonly request?: object; readonly response?: object; readonly description?: string }>>;
}

/** Maximum number of requests that one service answers at the same time. */
const MAX_RUNNING = 1_000;
const MAX_ENDPOINTS = 100;
/** Maximum length of an error in a header, characters. */
const MAX_ERROR_LENGTH = 1_000;
const QUEUE = "q";
const VERSION = "1.0.0";
const ENDPOINT = /^[A-Za-z0-9_-]{1,64}$/;

interface EndpointCounters {
  num_requests: number;
  num_errors: number;
  last_error: string;
  /** Sum of all requests, nanoseconds. */
  processing_time: number;
}

/**
 * A NATS micro service (ADR-32): answers `$SRV.PING`, `INFO` and `STATS`, and the requests of its endpoints. The official package is not used,
 * because it would install a second copy of the NATS client with mgr (docs/decisions/dependencies.md).
 */
export class MicroService {
  readonly id = randomBytes(11).toString("hex").toUpperCase();
  readonly name: string;
  readonly #bus: Bus;
  readonly #identity: { name: string; id: string; version: string; metadata: Record<string, string> };
  readonly #endpoints: { name: string; subject: string; queue_group: string; metadata: Record<string, string> }[];
  readonly #counters = new Map<string, EndpointCounters>();
  readonly #started = new Date().toISOString();
  readonly #handler: ServiceHandler;
  readonly #subscriptions: BusSubscription[] = [];
  #running = 0;

  /** `subjectOf` returns the subject of each endpoint. Throws `bad_field`. */
  constructor(
    bus: Bus,
    options: {
      name: string;
      shape: ServiceInterface;
      handler: ServiceHandler;
      metadata: { provider: string; host: string };
      subjectOf: (endpoint: string, id: string) => string;
    },
  ) {
    const { name, shape, handler, metadata, subjectOf } = options;
    const endpoints = Object.keys(shape.endpoints);
    checkService(name, endpoints);
    this.#bus = bus;
    this.name = name;
    this.#handler = handler;
    this.#identity = { name: natsName(name), id: this.id, version: VERSION, metadata: { name, interface: jsonText(shape), ...metadata } };
    this.#endpoints = endpoints.map((endpoint) => ({
      name: endpoint,
      subject: subjectOf(endpoint, this.id),
      queue_group: QUEUE,
      metadata: {},
    }));
    for (const { name: endpoint, subject } of this.#endpoints) {
      this.#counters.set(endpoint, { num_requests: 0, num_errors: 0, last_error: "", processing_time: 0 });
      this.#subscriptions.push(bus.subscribe(subject, (message) => void this.#serve(endpoint, message), { queue: QUEUE }));
    }
    // The endpoints are subscribed first, so that a service that is found can be called.
    this.#discover("PING", () => ({ type: "io.nats.micro.v1.ping_response", ...this.#identity }));
    this.#discover("INFO", () => ({
      type: "io.nats.micro.v1.info_response",
      ...this.#identity,
      description: "",
      endpoints: this.#endpoints,
    }));
    this.#discover("STATS", () => this.#stats());
  }

  stop(): void {
    for (const subscription of this.#subscriptions.splice(0)) subscription.unsubscribe();
  }

  #discover(verb: string, answer: () => object): void {
    const { name, id } = this.#identity;
    const reply = (message: BusMessage) => this.#send(message, jsonText(answer()));
    for (const subject of [`$SRV.${verb}`, `$SRV.${verb}.${name}`, `$SRV.${verb}.${name}.${id}`])
      this.#subscriptions.push(this.#bus.subscribe(subject, reply));
  }

  #stats(): object {
    const endpoints = this.#endpoints.map(({ metadata, ...endpoint }) => {
      const counters = this.#countersOf(endpoint.name);
      const average = counters.num_requests === 0 ? 0 : Math.round(counters.processing_time / counters.num_requests);
      return { ...endpoint, ...counters, average_processing_time: average };
    });
    return { type: "io.nats.micro.v1.stats_response", ...this.#identity, started: this.#started, endpoints };
  }

  async #serve(endpoint: string, message: BusMessage): Promise<void> {
    const counters = this.#countersOf(endpoint);
    const began = process.hrtime.bigint();
    counters.num_requests++;
    this.#running++;
    try {
      if (this.#running > MAX_RUNNING) throw new ServiceError(503, `${this.name} already answers ${MAX_RUNNING} requests; try again later`);
      const text = new TextDecoder().decode(message.data);
      const request = text === "" ? {} : parseJson(text);
      if (request === undefined) throw new ServiceError(400, "the request is not JSON");
      this.#send(message, jsonText(await this.#handler(request, endpoint)));
    } catch (error) {
      const code = error instanceof ServiceError ? error.serviceCode : error instanceof MgrError && error.code === "bad_field" ? 400 : 500;
      counters.num_errors++;
      counters.last_error = messageOf(error);
      this.#send(message, "", { code, text: messageOf(error) });
    } finally {
      this.#running--;
      counters.processing_time += Number(process.hrtime.bigint() - began);
    }
  }

  #countersOf(endpoint: string): EndpointCounters {
    return this.#counters.get(endpoint) ?? { num_requests: 0, num_errors: 0, last_error: "", processing_time: 0 };
  }

  #send({ reply }: BusMessage, text: string, error?: { code: number; text: string }): void {
    if (!reply) return;
    const marks = headers();
    if (error) {
      marks.set("Nats-Service-Error-Code", String(error.code));
      // One line: a line break would begin another header.
      marks.set("Nats-Service-Error", error.text.replace(/\s+/g, " ").slice(0, MAX_ERROR_LENGTH) || "the service failed");
    }
    try {
      this.#bus.publish(reply, text, error ? { headers: marks } : {});
    } catch (cause) {
      // Reports errors such as a response that is too large. If the connection is lost, the caller detects it itself.
      if (!error) this.#send({ reply, subject: reply, data: new Uint8Array() }, "", { code: 500, text: messageOf(cause) });
    }
  }
}

function checkService(name: string, endpoints: readonly string[]): void {
  const problem = topicNameProblem(name);
  if (problem !== null) throw new MgrError("bad_field", `the name of a service ${problem}`);
  if (endpoints.length === 0 || endpoints.length > MAX_ENDPOINTS)
    throw new MgrError("bad_field", `the interface of '${name}' has ${endpoints.length} endpoints; it must have 1 to ${MAX_ENDPOINTS}`);
  for (const endpoint of endpoints)
    if (!ENDPOINT.test(endpoint))
      throw new MgrError("bad_field", `the endpoint '${endpoint}' of '${name}' must have 1 to 64 of the characters A-Z a-z 0-9 _ -`);
}

/** Encodes a name for NATS, which allows fewer characters in a service's name; the metadata has the full one. */
export function natsName(name: string): string {
  return Array.from(new TextEncoder().encode(name), (byte) => {
    const char = String.fromCharCode(byte);
    return /[A-Za-z0-9_-]/.test(char) ? char : "_";
  }).join("");
}
