import { inProcessLink } from "../../../src/app/embedded/in-process-link.ts";
import { Engine } from "../../../src/app/engine.ts";
import type { IntentKeeper } from "../../../src/app/state/intent-keeper.ts";
import { systemClock } from "../../../src/base/timing/clock.ts";
import { ProcessHandle } from "../../../src/client/handles/process-handle.ts";
import { ManagerClient } from "../../../src/client/manager-client.ts";
import type { WaitOptions } from "../../../src/client/wait.ts";
import { loadConfigObject } from "../../../src/config/load/load.ts";
import type { ConfigInput } from "../../../src/config/schema/schema.ts";
import { withoutStart } from "../../../src/config/state/process-intent.ts";
import type { HostLink } from "../../../src/contract/host-link.ts";
import type { HostRequestName, RequestOf, ResponseOf } from "../../../src/contract/messages.ts";
import { Host } from "../../../src/daemon/host.ts";
import { LogBook } from "../../../src/log/log-book.ts";
import type { Process } from "../../../src/protocol/resources/resources.ts";
import { createTransport } from "../../../src/transport/websocket.ts";

/** Limit of waits, milliseconds: only what hangs takes so long. */
const PATIENT_MS = 110_000;
/** The user who requests what the tests request. */
export const BY = "ada";

type Intent = Parameters<IntentKeeper["set"]>[1];

/** What users want, in memory, with everything that was done to it. */
export class Intents implements IntentKeeper {
  readonly kept = new Map<string, Intent>();
  readonly done: string[] = [];
  onFlush: () => Promise<void> = () => Promise.resolve();

  constructor(known: Record<string, Intent> = {}) {
    for (const [name, intent] of Object.entries(known)) this.kept.set(name, intent);
  }

  get(name: string): Intent {
    return this.kept.get(name) ?? {};
  }

  set(name: string, patch: Intent): void {
    this.kept.set(name, { ...this.kept.get(name), ...patch });
    const { pending_run, origin: _origin, ...rest } = patch;
    if (pending_run !== undefined) this.done.push(`set ${name} ${pending_run === null ? "nothing" : "run"} pending`);
    else this.done.push(`set ${name} ${Object.values(rest).join("×")}`);
  }

  names(): Iterable<string> {
    return this.kept.keys();
  }

  forgetStart(name: string): void {
    this.kept.set(name, withoutStart(this.get(name)));
  }

  async flush(): Promise<void> {
    this.done.push("flush");
    await this.onFlush();
    this.done.push("flushed");
  }
}

interface RigOptions {
  intents?: Intents;
  /** Sees every request to the host first; what it throws is the answer. */
  onRequest?: (name: HostRequestName, request: Record<string, unknown>) => void | Promise<void>;
}

/** An engine with a host in this process: real programs under real terminals. */
export class EngineRig implements AsyncDisposable {
  readonly engine: Engine;
  readonly intents: Intents;
  readonly log: LogBook;
  readonly client: ManagerClient;
  readonly #host: Host;
  readonly #transport: ReturnType<typeof createTransport>;

  static async open(config: ConfigInput, options: RigOptions = {}): Promise<EngineRig> {
    const rig = new EngineRig(config, options);
    rig.#host.announce();
    await rig.until(() => rig.engine.processTable.isHostReady());
    return rig;
  }

  private constructor(config: ConfigInput, { intents = new Intents(), onRequest = () => {} }: RigOptions) {
    this.intents = intents;
    this.log = new LogBook({ capacity: 10_000, now: Date.now });
    // As in an embedded manager: however slow the machine is, the session lasts.
    this.#host = new Host({ host: "bench", subreaper: false, isDirect: true, log: () => {} });
    this.engine = new Engine({
      config: loadConfigObject(config, { base_dir: "/", state_dir: "/nowhere" }),
      clock: systemClock,
      log: this.log,
      intents,
      epoch: 1,
      link: watched(this.#host, onRequest),
    });
    const { control, extensions, hub, system } = this.engine;
    this.#transport = createTransport({ control, extensions, hub, system, assetHash: "" });
    this.client = new ManagerClient(inProcessLink(this.#transport));
  }

  handle(name: string): ProcessHandle {
    return new PatientHandle(this.client, name);
  }

  states(...names: string[]): string[] {
    return names.map((name) => this.engine.processTable.stateOf(name) ?? "unknown");
  }

  /** "a: stopped → starting" for each change so far. */
  changes(): string[] {
    return this.log
      .entries()
      .flatMap(({ change }) => (change && change.from !== null ? [`${change.process}: ${change.from} → ${change.to}`] : []));
  }

  /** Resolves when `condition` holds after some event, with the states if it does not in time. */
  until(condition: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const finish = (settle: () => void) => {
        clearTimeout(timer);
        unsubscribe();
        settle();
      };
      const timer = setTimeout(
        () =>
          finish(() => reject(new Error(`it did not come to that: ${JSON.stringify(this.states(...this.engine.processTable.names()))}`))),
        PATIENT_MS,
      );
      const unsubscribe = this.engine.events.subscribe(() => {
        if (condition()) finish(resolve);
      });
      if (condition()) finish(resolve);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.client.close();
    this.#transport.close(1001, "the test is over");
    this.engine.close();
    await this.#host.close();
  }
}

/** Waits longer than a user does: a proof that nothing of a run is left takes long beside thousands of other processes. */
class PatientHandle extends ProcessHandle {
  override start(options: WaitOptions = {}): Promise<Process> {
    return super.start({ timeout: PATIENT_MS, ...options });
  }

  override stop(options: WaitOptions = {}): Promise<Process> {
    return super.stop({ timeout: PATIENT_MS, ...options });
  }

  override restart(options: WaitOptions = {}): Promise<Process> {
    return super.restart({ timeout: PATIENT_MS, ...options });
  }
}

function watched(host: Host, onRequest: NonNullable<RigOptions["onRequest"]>): HostLink {
  return {
    host: host.host,
    isDirect: host.isDirect,
    async request<N extends HostRequestName>(name: N, request: RequestOf<N>): Promise<ResponseOf<N>> {
      await onRequest(name, request);
      return host.request(name, request);
    },
    window: (windows) => host.window(windows),
    heartbeat: (session) => host.heartbeat(session),
    listen: (listener) => host.listen(listener),
    close: () => host.close(),
  };
}

/** A program that runs until it is stopped. */
export const LASTING = { command: ["sleep", "1000"] };
