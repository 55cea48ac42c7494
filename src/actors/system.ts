import type { AnyStateMachine, InputFrom, InspectionEvent } from "xstate";
import { createActor } from "xstate";
import { MgrError, messageOf } from "../base/errors.ts";
import { type Cancellation, CancellationSource } from "../base/timing/cancellation.ts";
import { type Clock, systemClock } from "../base/timing/clock.ts";
import { ActorFamily } from "./actor-family.ts";
import type { ConnectionRef } from "./connection-machine.ts";
import type { GroupActor } from "./group-machine.ts";
import type { HostActor } from "./host-machine.ts";
import type { LoggerActor } from "./logger-machine.ts";
import type { ProcessActor } from "./process/process-machine.ts";
import type { RecordingActor } from "./recording-machine.ts";

/** The actor type of each kind: the type of `get` and of the events of `send`. */
export interface ActorKinds {
  process: ProcessActor;
  group: GroupActor;
  host: HostActor;
  connection: ConnectionRef;
  recording: RecordingActor;
  logger: LoggerActor;
}
export type ActorKind = keyof ActorKinds;

/** The values that the actor system passes to the function that creates an actor. */
export interface ActorScope {
  readonly kind: ActorKind;
  readonly name: string;
  /** Ends before a rebuild and on stop. Every effect must respect it: a throwing root leaks its invoked callbacks. */
  readonly life: Cancellation;
  /** 0 for the first actor of this name, then 1, 2, 3. */
  readonly rebuild: number;
}

/** Makes machine (effects provided) and input; called at spawn and again for each rebuild. `ended` is called when this life of the actor ends. */
export type CreateActor<M extends AnyStateMachine> = (scope: ActorScope) => { machine: M; input: InputFrom<M>; ended?: () => void };

export interface ActorSystemOptions {
  readonly clock: Clock;
  log(level: "info" | "warning" | "error", msg: string): void;
  /** Receives every inspection event; costs nothing if omitted. */
  readonly inspect?: ((event: InspectionEvent) => void) | undefined;
}

export interface ActorListener {
  /** Called for every event that actors `emit`, in order, after the actor's snapshot has been updated. */
  onEmit?(kind: ActorKind, name: string, event: { type: string }): void;
  /** Called when an actor has processed an event; its snapshot may have changed. Called after the events that it emitted in that step. */
  onStep?(kind: ActorKind, name: string): void;
  /** Called when an actor failed too often and is not rebuilt: `get` no longer knows it. */
  onParked?(kind: ActorKind, name: string, error: unknown): void;
}

/**
 * Maximum number of rebuilds of one actor within REBUILD_WINDOW_MS; after one more failure it is parked (docs/design/runtime-invariants.md,
 * "Actors").
 */
export const MAX_REBUILDS = 3;
export const REBUILD_WINDOW_MS = 60_000;

interface Entry {
  actor: ReturnType<typeof createActor> | null;
  /** The family of the newest actor. */
  family: ActorFamily | null;
  life: CancellationSource;
  ended: (() => void) | null;
  readonly create: CreateActor<AnyStateMachine>;
  readonly failed: ((error: unknown) => void) | null;
  /** Monotonic times of the rebuilds within the window. */
  rebuilds: number[];
}

/**
 * The table of actors. None is the child of a statechart: an exception in a child would stop its parent and all siblings, and a parent needs 16 s to
 * spawn 10,000 children (docs/design/library-defects.md, "xstate"). Events are addressed by kind and name.
 */
export class ActorSystem {
  readonly clock: Clock;
  readonly #options: ActorSystemOptions;
  #listener: ActorListener = {};
  readonly #entries: Record<ActorKind, Map<string, Entry>> = {
    process: new Map(),
    group: new Map(),
    host: new Map(),
    connection: new Map(),
    recording: new Map(),
    logger: new Map(),
  };

  /** The family that new actors join; null before the first one. */
  #family: ActorFamily | null = null;
  /** Deliveries that wait until the actor that caused them has finished: one actor runs at a time. */
  readonly #postponed: (() => void)[] = [];
  /** Index of the first delivery that waits: with 100,000 of them, removing each one from the array takes longer than delivering it. */
  #nextPostponed = 0;
  /** Nesting depth of notifying listeners of an actor's events, and of running actors. */
  #listening = 0;
  #acting = 0;
  /** Timers of actors. Events that they cause are delivered in the same turn. */
  readonly #timers: Pick<Clock, "setTimeout" | "clearTimeout">;

  constructor(options: ActorSystemOptions) {
    this.clock = options.clock;
    this.#options = options;
    this.#timers = {
      setTimeout: (callback, milliseconds) => this.#later(() => this.#act(callback), milliseconds),
      clearTimeout: (cancel) => (cancel as () => void)(),
    };
  }

  /** Sets the listener, before the first actor starts: it may need parts that are built on this actor system. */
  listen(listener: ActorListener): void {
    this.#listener = listener;
  }

  /**
   * Starts an actor. When it fails it is rebuilt from `create`; with `failed` it is removed instead and `failed` called.
   * Throws `conflict` for an address in use: the old actor would be orphaned.
   */
  spawn<M extends AnyStateMachine>(kind: ActorKind, name: string, create: CreateActor<M>, failed?: (error: unknown) => void): void {
    const known = this.#entries[kind].get(name);
    if (known?.actor) throw new MgrError("conflict", `an actor '${name}' of kind ${kind} exists already; stop it first`);
    const entry: Entry = {
      actor: null,
      family: null,
      life: new CancellationSource(),
      ended: null,
      create: create as unknown as CreateActor<AnyStateMachine>,
      failed: failed ?? null,
      rebuilds: [],
    };
    this.#entries[kind].set(name, entry);
    this.#start(kind, name, entry);
  }

  get<K extends ActorKind>(kind: K, name: string): ActorKinds[K] | undefined {
    // Untyped callers may request an unknown kind.
    const actor = this.#entries[kind]?.get(name)?.actor;
    return (actor ?? undefined) as ActorKinds[K] | undefined;
  }

  /**
   * Sends an event; false if there is no actor at this address (unknown, stopped or parked). Events are delivered in the order of the calls; an
   * event sent by a listener waits until the actor that it listens to has finished its step.
   */
  send<K extends ActorKind>(kind: K, name: string, event: Parameters<ActorKinds[K]["send"]>[0]): boolean {
    if (!this.#entries[kind].get(name)?.actor) return false;
    if (this.#listening === 0 && this.#nextPostponed === this.#postponed.length) this.#deliver(kind, name, event);
    else this.#postpone(() => this.#deliver(kind, name, event));
    return true;
  }

  /**
   * Sets a timer; returns the function that cancels it. A timer without delay does not wait for the next millisecond: a process that crashed
   * restarts in the next turn. A simulated clock treats it like every other timer.
   */
  #later(work: () => void, milliseconds: number): () => void {
    if (milliseconds <= 0 && this.clock === systemClock) {
      const next = setImmediate(work);
      return () => clearImmediate(next);
    }
    const timer = this.clock.setTimeout(work, milliseconds);
    return () => this.clock.clearTimeout(timer);
  }

  #deliver<K extends ActorKind>(kind: K, name: string, event: Parameters<ActorKinds[K]["send"]>[0]): void {
    this.#act(() => this.#entries[kind].get(name)?.actor?.send(event));
  }

  #postpone(delivery: () => void): void {
    this.#postponed.push(delivery);
    // An effect's result reaches its actor directly, not through this class: the end of that step cannot be awaited.
    if (this.#acting === 0) queueMicrotask(() => this.#act(() => {}));
  }

  /** Runs `work`, then the deliveries that it caused, unless it is nested in another call. */
  #act(work: () => void): void {
    this.#acting += 1;
    try {
      work();
      if (this.#acting > 1 || this.#listening > 0) return;
      while (this.#nextPostponed < this.#postponed.length) this.#postponed[this.#nextPostponed++]?.();
      this.#postponed.length = 0;
      this.#nextPostponed = 0;
    } finally {
      this.#acting -= 1;
    }
  }

  stop(kind: ActorKind, name: string): void {
    const entry = this.#entries[kind].get(name);
    if (!entry) return;
    this.#entries[kind].delete(name);
    this.#release(entry);
  }

  /** Names in order of spawning, parked actors included. */
  names(kind: ActorKind): string[] {
    return [...this.#entries[kind].keys()];
  }

  stopAll(): void {
    for (const kind of Object.keys(this.#entries) as ActorKind[]) for (const name of this.names(kind)) this.stop(kind, name);
  }

  #start(kind: ActorKind, name: string, entry: Entry): void {
    const { inspect } = this.#options;
    try {
      const { machine, input, ended } = entry.create({ kind, name, life: entry.life, rebuild: entry.rebuilds.length });
      entry.ended = ended ?? null;
      if (this.#family?.isFull !== false) this.#family = new ActorFamily({ clock: this.#timers, inspect });
      entry.family = this.#family;
      const actor = createActor(machine, { id: `${kind}:${name}`, input, parent: this.#family.join() });
      entry.actor = actor;
      actor.on("*", (event) => this.#forward(kind, name, event));
      actor.subscribe({
        next: () => this.#stepped(kind, name),
        error: (error) => this.#failed({ kind, name, entry, error }),
        // The actor completed by itself; after a stop, the address may already belong to another actor.
        complete: () => {
          if (entry.actor === actor) this.stop(kind, name);
        },
      });
      actor.start();
    } catch (error) {
      this.#failed({ kind, name, entry, error });
    }
  }

  #forward(kind: ActorKind, name: string, event: { type: string }): void {
    this.#listen(`'${event.type}'`, { kind, name }, () => this.#listener.onEmit?.(kind, name, event));
  }

  #stepped(kind: ActorKind, name: string): void {
    this.#listen("a step", { kind, name }, () => this.#listener.onStep?.(kind, name));
  }

  #listen(what: string, { kind, name }: { kind: ActorKind; name: string }, tell: () => void): void {
    this.#listening += 1;
    try {
      tell();
    } catch (error) {
      // A listener's error must not reach the actor that emitted the event.
      this.#options.log("error", `a listener failed on ${what} of ${kind} '${name}': ${messageOf(error)}`);
    } finally {
      this.#listening -= 1;
    }
  }

  #failed(failure: { kind: ActorKind; name: string; entry: Entry; error: unknown }): void {
    const { kind, name, entry, error } = failure;
    this.#release(entry);
    if (entry.failed) {
      this.#entries[kind].delete(name);
      this.#options.log("error", `the actor of ${kind} '${name}' failed and is closed: ${messageOf(error)}`);
      entry.failed(error);
      return;
    }
    const now = this.clock.monotonic();
    entry.rebuilds = entry.rebuilds.filter((time) => now - time < REBUILD_WINDOW_MS);
    if (entry.rebuilds.length >= MAX_REBUILDS) {
      this.#options.log(
        "error",
        `the actor of ${kind} '${name}' failed ${MAX_REBUILDS + 1} times within a minute and is parked: ${messageOf(error)}`,
      );
      this.#listener.onParked?.(kind, name, error);
      return;
    }
    entry.rebuilds.push(now);
    this.#options.log("error", `the actor of ${kind} '${name}' failed and is rebuilt: ${messageOf(error)}`);
    entry.life = new CancellationSource();
    this.#start(kind, name, entry);
  }

  #release(entry: Entry): void {
    const { actor, family, ended } = entry;
    entry.actor = null;
    entry.ended = null;
    entry.life.cancel();
    ended?.();
    if (actor !== null) family?.stop(actor);
  }
}
