import type { DomainEvents } from "../../../../actors/domain-events.ts";
import { MgrError } from "../../../../base/errors.ts";
import type { Clock } from "../../../../base/timing/clock.ts";
import { untilWithin } from "../../../../base/timing/wait.ts";
import type { Bus } from "../../../../bus/client/bus.ts";
import type { KnownService } from "../broker-tables.ts";
import type { DataPlaneTables } from "../data-plane-tables.ts";
import { callEndpoint, interfaceName } from "../service-calls.ts";

const INTERFACE = "mgr.scope.v1";
/** Time in which a scope process must start and provide its service, milliseconds. */
const START_TIMEOUT_MS = 10_000;
const OPEN_TIMEOUT_MS = 5_000;

interface OscilloscopeOptions {
  readonly tables: DataPlaneTables;
  readonly bus: Promise<Bus> | null;
  readonly clock: Clock;
  readonly events: DomainEvents;
  /** `instance.scope_process` of the present configuration. */
  readonly process: () => string | null;
  readonly start: (process: string, by: string) => void | Promise<void>;
}

/** Opens traces in the scope: the program that provides the service `mgr.scope.v1` (docs/clients.md, "Scope"). */
export class Oscilloscope {
  readonly #options: OscilloscopeOptions;

  constructor(options: OscilloscopeOptions) {
    this.#options = options;
  }

  /** Opens a trace; starts the scope process if it does not run. Resolves with its name; "" for a program that is not a process of mgr. */
  async open(trace: string, by: string): Promise<string> {
    const configured = this.#options.process();
    const service = this.#find(configured) ?? (await this.#started(configured, by));
    await callEndpoint(this.#options.bus, service, { endpoint: "open", request: { trace }, timeoutMs: OPEN_TIMEOUT_MS });
    return processOf(service);
  }

  async #started(configured: string | null, by: string): Promise<KnownService> {
    if (configured === null)
      throw new MgrError("not_found", "there is no scope: set instance.scope_process, or start a program that provides 'mgr.scope.v1'");
    await this.#options.start(configured, by);
    return this.#appears(configured);
  }

  async #appears(configured: string): Promise<KnownService> {
    const { events, clock } = this.#options;
    // The service may be reported before its client.
    const subscribe = (check: () => void) =>
      events.subscribe((event) => {
        if (event.type === "service_upsert" || event.type === "client_upsert") check();
      });
    await untilWithin(() => this.#find(configured) !== undefined, subscribe, { forMs: START_TIMEOUT_MS, clock });
    const service = this.#find(configured);
    if (service !== undefined) return service;
    throw new MgrError("timeout", `the scope process '${configured}' did not provide its service within ${START_TIMEOUT_MS / 1_000} s`);
  }

  #find(configured: string | null): KnownService | undefined {
    const scopes = this.#options.tables.allInstances().filter((service) => interfaceName(service) === INTERFACE);
    return configured === null ? scopes[0] : scopes.find((service) => processOf(service) === configured);
  }
}

function processOf(service: KnownService): string {
  return service.broker.owner(service.record)?.record.process_name ?? "";
}
