import { randomUUID } from "node:crypto";
import { z } from "zod";
import { MgrError } from "../../base/errors.ts";
import type { Clock } from "../../base/timing/clock.ts";
import { CONTRACT_VERSION, HEARTBEAT_LOST_MS, type RequestOf } from "../../contract/messages.ts";

/** Interval of the host's own tick, milliseconds. */
export const TICK_MS = 1_000;
/**
 * Maximum age of the last tick when a command arrives, milliseconds. An older tick means that this process was suspended, and that the data
 * in its sockets is old.
 */
const MAX_TICK_AGE_MS = 3_000;

/** The manager that the host obeyed last; null: there was none. */
export const knownManager = z.object({ epoch: z.int(), pid: z.int() }).nullable();
type KnownManager = z.infer<typeof knownManager>;

/**
 * The host obeys the manager with the highest epoch, while its heartbeats arrive. No command is carried out late after SIGSTOP, and
 * two managers never command one host (docs/design/runtime-invariants.md, "Sessions with a host").
 */
export class ManagerSession {
  readonly #clock: Clock;
  readonly #isDirect: boolean;
  readonly #onVoid: (reason: string) => void;
  #id: string | null = null;
  #manager: KnownManager;
  #heardAt: number;
  #tickedAt: number;

  /** `isDirect`: the manager is in this process; its session lasts until a new hello. */
  constructor(options: { clock: Clock; isDirect?: boolean; onVoid: (reason: string) => void; manager?: KnownManager }) {
    this.#manager = options.manager ?? null;
    this.#clock = options.clock;
    this.#isDirect = options.isDirect ?? false;
    this.#onVoid = options.onVoid;
    this.#heardAt = this.#clock.monotonic();
    this.#tickedAt = this.#heardAt;
  }

  /** Id of the current session, or null. */
  get id(): string | null {
    return this.#id;
  }

  get manager(): KnownManager {
    return this.#manager;
  }

  /** Begins a session; commands of earlier sessions are refused from now on. Throws `forbidden`. */
  begin({ epoch, manager_pid: pid, contracts }: RequestOf<"hello">): string {
    if (!contracts.includes(CONTRACT_VERSION)) {
      throw new MgrError(
        "forbidden",
        `this host daemon speaks version ${CONTRACT_VERSION} of the contract, the manager (pid ${pid}) ${contracts.join(", ")}: it cannot command this host. Running processes continue. ` +
          "End this daemon ('mgr down' on the manager's host, SIGTERM elsewhere), then start one of the manager's version",
      );
    }
    const known = this.#manager;
    if (known !== null && (epoch < known.epoch || (epoch === known.epoch && pid !== known.pid))) {
      throw new MgrError(
        "forbidden",
        `this host obeys a newer manager (epoch ${known.epoch}, pid ${known.pid}); this one has epoch ${epoch}`,
      );
    }
    if (this.#id !== null) this.#void("the manager opened a new session");
    this.#manager = { epoch, pid };
    this.#id = randomUUID();
    this.#heardAt = this.#clock.monotonic();
    this.#tickedAt = this.#heardAt;
    return this.#id;
  }

  /** Throws `stale_session` unless `id` is the current session. */
  check(id: string): void {
    if (!this.isCurrent(id)) throw new MgrError("stale_session", "this session is unknown to the host, or has ended; send hello first");
  }

  isCurrent(id: string): boolean {
    this.#voidIfLost();
    return this.#id !== null && this.#id === id;
  }

  heartbeat(id: string): void {
    if (this.isCurrent(id)) this.#heardAt = this.#clock.monotonic();
  }

  /** Called every TICK_MS. */
  tick(): void {
    // A late tick may run before the commands that waited in the sockets; it ends the session as they would.
    this.#voidIfLost();
    this.#tickedAt = this.#clock.monotonic();
  }

  end(): void {
    if (this.#id !== null) this.#void("the host closes");
  }

  #voidIfLost(): void {
    if (this.#id === null || this.#isDirect) return;
    const now = this.#clock.monotonic();
    if (now - this.#tickedAt > MAX_TICK_AGE_MS) this.#void(`the host was suspended for ${Math.round(now - this.#tickedAt)} ms`);
    else if (now - this.#heardAt > HEARTBEAT_LOST_MS) this.#void(`no heartbeat of the manager for ${Math.round(now - this.#heardAt)} ms`);
  }

  #void(reason: string): void {
    this.#id = null;
    this.#onVoid(reason);
  }
}
