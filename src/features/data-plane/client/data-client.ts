import { hostname } from "node:os";
import { setImmediate as nextTurn } from "node:timers/promises";
import { PermissionViolationError } from "@nats-io/nats-core";
import { MgrError, messageOf } from "../../../base/errors.ts";
import { ThrottledWarning, type WarningLog } from "../../../base/throttled-warning.ts";
import type { Bus } from "../../../bus/client/bus.ts";
import { ClientParameter, type ParameterSpec } from "./client-parameter.ts";
import { MicroService, type ServiceHandler, type ServiceInterface } from "./micro-service.ts";
import { PARAMETER_INTERFACE, ParameterService } from "./parameter-service.ts";
import { type ClientIdentity, Registration } from "./registration.ts";
import { type CallOptions, callService, endpointSubject } from "./service-call.ts";
import { describeTopic, type PublisherOptions, type TopicDefinition, TopicPublisher, withWellKnownSchema } from "./topic-publisher.ts";
import { type SubscribeOptions, TopicSubscription } from "./topic-subscription.ts";

export interface ClientCounters {
  /** Messages published: sent, and not sent because there was no connection or the send buffer was full (`unsent`). */
  sent: number;
  unsent: number;
  /** Messages that were sent, but refused by the broker. */
  refused: number;
  /** Messages of subscriptions: received, missed by sequence number, and dropped because the program did not read them in time. */
  received: number;
  missed: number;
  dropped: number;
}

/** The parameters of a client by name, typed by their `type`. */
export type Parameters<Specs extends Readonly<Record<string, ParameterSpec>>> = {
  readonly [Name in keyof Specs]: ClientParameter<Specs[Name]["type"]>;
};

interface Counted {
  readonly counters: Partial<ClientCounters>;
}

/** A program on the bus: its topics, services and parameters (docs/clients.md). Made by `connectClient`. */
export class DataClient implements AsyncDisposable {
  readonly name: string;
  readonly #bus: Bus;
  readonly #log: WarningLog;
  readonly #registration: Registration;
  readonly #open = new Set<Counted>();
  /** Open publishers by subject. */
  readonly #publishers = new Map<string, TopicPublisher>();
  /** Sums of the counters of closed publishers and subscriptions. */
  readonly #past: ClientCounters = { sent: 0, unsent: 0, refused: 0, received: 0, missed: 0, dropped: 0 };
  readonly #services = new Set<MicroService>();
  #parameters: ParameterService | null = null;

  constructor(bus: Bus, identity: ClientIdentity, log: WarningLog) {
    this.name = identity.name;
    this.#bus = bus;
    this.#log = log;
    this.#registration = new Registration(bus, identity, log);
    void this.#followErrors();
  }

  /** Used by `connectClient`. */
  async register(): Promise<void> {
    await this.#registration.register();
  }

  get isConnected(): boolean {
    return this.#bus.isConnected;
  }

  /** The name of this machine in mgr, once a broker of mgr has answered; before that the machine's host name. */
  get host(): string {
    return this.#registration.host ?? hostname();
  }

  /** Sums over all publishers and subscriptions since the client was connected. */
  get counters(): ClientCounters {
    const sum = { ...this.#past };
    for (const { counters } of this.#open) add(sum, counters);
    return sum;
  }

  /**
   * Reserves a topic. `definition` is the text of a ROS 2 message (encoded as CDR), a JSON Schema (JSON), the name of a well-known message such as
   * `foxglove.PoseInFrame` (JSON; `publish` refuses what does not fit it), or a `ProtobufDefinition`; without one the topic carries bytes.
   * Rejects with `conflict` if another client has the topic, and with `bad_field`.
   */
  async publisher(topic: string, definition?: TopicDefinition, options: PublisherOptions = {}): Promise<TopicPublisher> {
    const known = await withWellKnownSchema(definition);
    const { topics } = this.#registration;
    if (topics.has(topic)) throw new MgrError("conflict", `this client already publishes '${topic}'`);
    const described = describeTopic(topic, known, options);
    const schema = known !== definition && typeof known === "object" ? known : null;
    const onClose = () => {
      topics.delete(topic);
      this.#publishers.delete(publisher.subject);
      this.#forget(publisher);
      void this.#registration.register();
    };
    const publisher: TopicPublisher = new TopicPublisher(this.#bus, described, { schema, onRefused: options.onRefused, onClose });
    this.#open.add(publisher);
    this.#publishers.set(publisher.subject, publisher);
    topics.set(topic, described);
    const refusal = (await this.#registration.register()).get(topic);
    if (refusal === undefined) return publisher;
    publisher.close();
    throw new MgrError("conflict", `the topic '${topic}' cannot be published: ${refusal}`);
  }

  /** Subscribes to a topic, from any publisher, now or later: read the messages with `for await`, or pass `onMessage`. */
  subscribe(topic: string, options: SubscribeOptions = {}): TopicSubscription {
    const subscription: TopicSubscription = new TopicSubscription(this.#bus, topic, options, {
      log: this.#log,
      onClose: () => this.#forget(subscription),
    });
    this.#open.add(subscription);
    return subscription;
  }

  /** Offers a service until its `stop` is called. Throws `bad_field`. */
  provide(service: string, shape: ServiceInterface, handler: ServiceHandler): { stop(): void } {
    const subjectOf = (endpoint: string) => endpointSubject(service, endpoint);
    return this.#provide(service, shape, { handler, subjectOf });
  }

  /** Calls a service and resolves with its response. Rejects with ServiceError, `not_found`, `timeout` or `host_unavailable`. */
  call(service: string, request: unknown = {}, options: CallOptions = {}): Promise<unknown> {
    return callService(this.#bus, service, request, options);
  }

  /**
   * Offers parameters that users may override: `parameters({gain: {type: "float", value: 1, min: 0, max: 10}})`, then use `gain.value`. May
   * be called again for further ones. Throws `bad_field`, `conflict`.
   */
  parameters<const Specs extends Readonly<Record<string, ParameterSpec>>>(specs: Specs): Parameters<Specs> {
    const made = Object.entries(specs).map(([name, spec]) => new ClientParameter(name, spec, this.#log));
    const service = this.#parameters ?? this.#provideParameters();
    for (const parameter of made) service.add(parameter);
    return Object.fromEntries(made.map((parameter) => [parameter.name, parameter])) as unknown as Parameters<Specs>;
  }

  /** Resolves when the broker has processed everything that was sent before, and all of its refusals were reported. */
  async flush(): Promise<void> {
    await this.#bus.flush();
    // The library reports errors through an asynchronous iterator, which may be some microtasks behind.
    await nextTurn();
  }

  async close(): Promise<void> {
    this.#registration.close();
    this.#parameters?.close();
    for (const service of this.#services) service.stop();
    await this.#bus.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #provideParameters(): ParameterService {
    const parameters = new ParameterService((parameter) => this.#parameterTopic(parameter));
    const name = `${this.name}/parameters`;
    this.#provide(name, PARAMETER_INTERFACE, {
      handler: (request, endpoint) => parameters.answer(request, endpoint),
      // The subject contains the id, because each client of this name must answer.
      subjectOf: (endpoint, id) => endpointSubject(`${name}/${id}`, endpoint),
    });
    this.#parameters = parameters;
    return parameters;
  }

  /** Publishes the parameter's topic. It has the parameter's name, or a longer one if another client has that topic. */
  async #parameterTopic(parameter: ClientParameter): Promise<TopicPublisher> {
    try {
      return await this.publisher(parameter.name, parameter.schema, { keepLast: true });
    } catch (error) {
      if (!(error instanceof MgrError) || error.code !== "conflict") throw error;
      return this.publisher(`${this.name}/parameters/${parameter.name}`, parameter.schema, { keepLast: true });
    }
  }

  #provide(
    name: string,
    shape: ServiceInterface,
    parts: { handler: ServiceHandler; subjectOf: (endpoint: string, id: string) => string },
  ): { stop(): void } {
    const metadata = { provider: this.name, host: this.host };
    const service = new MicroService(this.#bus, { name, shape, metadata, ...parts });
    this.#services.add(service);
    return {
      stop: () => {
        this.#services.delete(service);
        service.stop();
      },
    };
  }

  #forget(one: Counted): void {
    if (this.#open.delete(one)) add(this.#past, one.counters);
  }

  /** Logs errors that the broker reports later, such as a message of a topic that another client has reserved. */
  async #followErrors(): Promise<void> {
    const warning = new ThrottledWarning(this.#log);
    for await (const status of this.#bus.connection.status())
      if (status.type === "error" && !this.#isHandled(status.error)) warning.warn(`the broker refused: ${messageOf(status.error)}`);
  }

  /** Whether a publisher that handles refusals has handled the error. */
  #isHandled(error: Error): boolean {
    if (!(error instanceof PermissionViolationError) || error.operation !== "publish") return false;
    try {
      return this.#publishers.get(error.subject)?.refused(error.message) ?? false;
    } catch (cause) {
      this.#log("error", `a defect in the handler of refusals of ${error.subject}: ${messageOf(cause)}`);
      return true;
    }
  }
}

function add(sum: ClientCounters, more: Partial<ClientCounters>): void {
  for (const key of Object.keys(sum) as (keyof ClientCounters)[]) sum[key] += more[key] ?? 0;
}
