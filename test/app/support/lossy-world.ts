import { Engine } from "../../../src/app/engine.ts";
import { RunHistory } from "../../../src/app/state/run-history.ts";
import { MgrError } from "../../../src/base/errors.ts";
import type { Clock } from "../../../src/base/timing/clock.ts";
import type { Config } from "../../../src/config/definition.ts";
import type { HostLink, HostListener } from "../../../src/contract/host-link.ts";
import type { HostRequestName, OutputWindows, RequestOf, ResponseOf } from "../../../src/contract/messages.ts";
import { LogBook } from "../../../src/log/log-book.ts";
import { FakeHost } from "../../../src/testing/fake-host.ts";
import { SimulatedClock } from "../../../src/testing/simulated-clock.ts";
import { MemoryStore } from "../../daemon/support/memory-store.ts";
import { Intents } from "./engines.ts";

/** Time after which a request without an answer fails, milliseconds. */
const TIMEOUT_MS = 2_000;

/** A program that can be suspended, as by SIGSTOP: meanwhile its timers do not fire, and messages wait. */
class Suspendable implements Clock {
  readonly #clock: SimulatedClock;
  #waiting: (() => void)[] | null = null;
  #isEnded = false;

  constructor(clock: SimulatedClock) {
    this.#clock = clock;
  }

  get isSuspended(): boolean {
    return this.#waiting !== null;
  }

  now(): number {
    return this.#clock.now();
  }

  monotonic(): number {
    return this.#clock.monotonic();
  }

  setTimeout(callback: () => void, milliseconds: number): unknown {
    const timer = { isCleared: false, handle: null as unknown };
    timer.handle = this.#clock.setTimeout(
      () =>
        this.receive(() => {
          if (!timer.isCleared) callback();
        }),
      milliseconds,
    );
    return timer;
  }

  clearTimeout(timer: unknown): void {
    const known = timer as { isCleared: boolean; handle: unknown } | null | undefined;
    if (!known) return;
    known.isCleared = true;
    this.#clock.clearTimeout(known.handle);
  }

  /** Handles a message or a timer now, or once the program is resumed. */
  receive(handle: () => void): void {
    if (this.#isEnded) return;
    if (this.#waiting !== null) this.#waiting.push(handle);
    else handle();
  }

  suspend(): void {
    this.#waiting ??= [];
  }

  resume(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = null;
    for (const handle of waiting) this.receive(handle);
  }

  end(): void {
    this.#isEnded = true;
    this.#waiting = null;
  }
}

/** Whether messages pass, in each direction. */
interface Wire {
  toHost: boolean;
  toManager: boolean;
}

/** The link of one manager to the host. A message that does not pass is lost; a request without an answer fails after a time. */
class LossyLink implements HostLink {
  readonly host: string;
  readonly #world: LossyWorld;
  readonly #program: Suspendable;
  readonly #listeners = new Set<HostListener>();
  readonly #unsubscribe: () => void;

  constructor(world: LossyWorld, program: Suspendable) {
    this.#world = world;
    this.#program = program;
    this.host = world.host.host;
    const pass =
      <T>(deliver: (listener: HostListener, message: T) => void) =>
      (message: T) => {
        if (!world.wire.toManager) return;
        program.receive(() => {
          for (const listener of [...this.#listeners]) deliver(listener, message);
        });
      };
    this.#unsubscribe = world.host.listen({
      onEvent: pass((listener, event) => listener.onEvent?.(event)),
      onHeartbeat: pass((listener, heartbeat) => listener.onHeartbeat?.(heartbeat)),
      onOutput: pass((listener, chunk) => listener.onOutput?.(chunk)),
      onLog: pass((listener, entry) => listener.onLog?.(entry)),
    });
  }

  request<N extends HostRequestName>(name: N, request: RequestOf<N>): Promise<ResponseOf<N>> {
    const { wire, host, hostProgram } = this.#world;
    return new Promise((resolve, reject) => {
      const timer = this.#program.setTimeout(() => reject(new MgrError("timeout", `no answer to '${name}'`)), TIMEOUT_MS);
      const answer = (settle: () => void) => {
        if (!wire.toManager) return;
        this.#program.receive(() => {
          this.#program.clearTimeout(timer);
          settle();
        });
      };
      if (!wire.toHost) return;
      hostProgram.receive(() =>
        host.request(name, request).then(
          (response) => answer(() => resolve(response)),
          (error: unknown) => answer(() => reject(error)),
        ),
      );
    });
  }

  window(windows: OutputWindows): void {
    this.#send(() => this.#world.host.window(windows));
  }

  heartbeat(session: string): void {
    this.#send(() => this.#world.host.heartbeat(session));
  }

  listen(listener: HostListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#unsubscribe();
    this.#listeners.clear();
  }

  #send(handle: () => void): void {
    if (this.#world.wire.toHost) this.#world.hostProgram.receive(handle);
  }
}

/** A run as the host began it. */
export interface Begun {
  readonly name: string;
  readonly runId: string;
  /** Monotonic time. */
  readonly time: number;
}

/** A host, the disk of its managers, and one manager or none, over a link that loses messages. */
export class LossyWorld {
  readonly clock = new SimulatedClock();
  readonly hostProgram = new Suspendable(this.clock);
  readonly host: FakeHost;
  readonly wire: Wire = { toHost: true, toManager: true };
  readonly intents = new Intents();
  readonly log = new LogBook({ capacity: 10_000, now: () => this.clock.now() });
  readonly saved: object[] = [];
  readonly begun: Begun[] = [];
  readonly #config: Config;
  #epoch = 0;
  #manager: { engine: Engine; program: Suspendable; link: LossyLink; history: RunHistory } | null = null;

  constructor(config: Config, hostName: string) {
    this.#config = config;
    this.host = new FakeHost({ clock: this.hostProgram, host: hostName, requests: new MemoryStore(this.clock) });
    this.host.listen({
      onEvent: ({ kind, run }) => {
        if (kind === "spawned") this.begun.push({ name: run.name, runId: run.run_id, time: this.clock.monotonic() });
      },
    });
  }

  get engine(): Engine | null {
    return this.#manager?.engine ?? null;
  }

  get history(): RunHistory | null {
    return this.#manager?.history ?? null;
  }

  get managerProgram(): Suspendable | null {
    return this.#manager?.program ?? null;
  }

  startManager(): void {
    if (this.#manager !== null) return;
    const program = new Suspendable(this.clock);
    const link = new LossyLink(this, program);
    const history = new RunHistory({ saved: [...this.saved], save: (end) => this.saved.push(end) });
    const { log, intents } = this;
    const engine = new Engine({ config: this.#config, clock: program, log, intents, epoch: ++this.#epoch, link, history, features: [] });
    this.#manager = { engine, program, link, history };
  }

  /** Ends the manager like SIGKILL: it sends nothing more. */
  async killManager(): Promise<void> {
    const manager = this.#manager;
    if (manager === null) return;
    this.#manager = null;
    manager.program.end();
    await manager.link.close();
    void manager.engine.close();
  }

  /** Everything works again, and there is a manager. */
  async repair(): Promise<void> {
    Object.assign(this.wire, { toHost: true, toManager: true });
    this.hostProgram.resume();
    this.#manager?.program.resume();
    this.startManager();
  }

  async close(): Promise<void> {
    await this.killManager();
    await this.host.close();
  }
}
