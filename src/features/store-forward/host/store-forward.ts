import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { messageOf } from "../../../base/errors.ts";
import { compileFnmatch } from "../../../base/patterns/fnmatch.ts";
import { type Clock, everyBeat } from "../../../base/timing/clock.ts";
import type { HostBus } from "../../../daemon/bus/host-bus.ts";
import { readJsonState } from "../../../files/json-state-file.ts";
import { replaceFileSync } from "../../../files/replace-file.ts";
import { makeStateFolder } from "../../../files/state-folder.ts";
import type { Tap } from "../../data-plane/host/index.ts";
import { type HostKeptTopic, MAX_SHOWN_TOPICS, type StoreForwardSpec, storeForwardSpec } from "../contract.ts";
import { Filler } from "./filler.ts";
import { SampleStore } from "./sample-store.ts";
import { UnconfirmedSamples } from "./unconfirmed-samples.ts";

const FOLDER = "store-forward";
const STATE_FILE = "settings.json";
/** Interval of writing to the disk, milliseconds: a daemon that is killed loses at most so much. */
const FLUSH_MS = 200;

interface StoreForwardOptions {
  /** State folder of the daemon. */
  readonly stateDir: string;
  readonly bus: Pick<HostBus, "isLinked" | "watchLink" | "broker">;
  readonly tap: Pick<Tap, "add">;
  readonly clock: Clock;
  /** The wall clock, nanoseconds since 1970. */
  readonly now: () => bigint;
  readonly log: (level: "info" | "warning" | "error", msg: string) => void;
}

/** Keeps the samples of chosen topics of this host while its link to the hub is cut, and sends them when it is back. */
export class StoreForward {
  /** Resolves when what an earlier daemon has kept is open. Never rejects. */
  readonly opened: Promise<void>;
  readonly #options: StoreForwardOptions;
  readonly #folder: string;
  readonly #store: SampleStore;
  readonly #filler: Filler;
  readonly #unconfirmed = new UnconfirmedSamples();
  readonly #unwatch: () => void;
  #spec: StoreForwardSpec | null;
  #endTap: (() => void) | null = null;
  #endFlush: (() => void) | null = null;

  constructor(options: StoreForwardOptions) {
    const { stateDir, bus, clock, now, log } = options;
    this.#options = options;
    this.#folder = join(stateDir, FOLDER);
    this.#store = new SampleStore({ folder: join(this.#folder, "samples"), now, log });
    this.#filler = new Filler({ port: bus.broker.port(), store: this.#store, clock, log });
    const lost = "store and forward waits for its configuration";
    const schema = storeForwardSpec.nullable();
    this.#spec = readJsonState(join(this.#folder, STATE_FILE), { schema, empty: null, lost, warn: (msg) => log("warning", msg) });
    this.#unwatch = bus.watchLink({
      changed: (isUp) => (isUp ? this.#filler.begin() : this.#cut()),
      confirmed: (at) => this.#unconfirmed.confirm(at),
    });
    // An earlier daemon may have been killed before it had removed the samples of a configuration that ended.
    this.opened = this.#spec === null ? this.#store.clear() : this.#store.open();
    this.#apply();
  }

  /** Null: nothing is kept. */
  configure(spec: StoreForwardSpec | null): void {
    if (isDeepStrictEqual(spec, this.#spec)) return;
    this.#spec = spec;
    this.#apply();
    if (spec === null) void this.#store.clear();
    try {
      makeStateFolder(this.#folder);
      replaceFileSync(join(this.#folder, STATE_FILE), `${JSON.stringify(spec)}\n`, { isDurable: false });
    } catch (error) {
      this.#options.log("error", `store and forward is not configured after a restart of the daemon: ${messageOf(error)}`);
    }
  }

  /** The kept samples of a topic, or of all topics; those with most bytes come first. */
  status(topic: string | null): { readonly topics: HostKeptTopic[]; readonly other_topics: number } {
    const now = this.#options.now();
    const logs = this.#store.logs.filter((log) => topic === null || log.topic === topic).sort((one, other) => other.bytes - one.bytes);
    const topics = logs.slice(0, MAX_SHOWN_TOPICS).map((log) => {
      const { count, bytes, oldest, sent, dropped } = log;
      const oldest_age_ms = oldest === null ? null : Math.max(0, Number(now - oldest) / 1_000_000);
      return { topic: log.topic, ...this.#filler.waitOf(log), samples: count, bytes, oldest_age_ms, sent, dropped };
    });
    return { topics, other_topics: logs.length - topics.length };
  }

  /** Sends nothing more. Resolves when no file is being written. */
  async quiet(): Promise<void> {
    this.#filler.end();
    // `handOver` must not overlap with a write.
    this.#endFlush?.();
    await this.#store.flush();
  }

  /** Writes all at once: the program is replaced, which cuts the link. */
  handOver(): void {
    this.#keepUnconfirmed();
    this.#store.flushSync();
  }

  resume(): void {
    if (this.#spec === null) return;
    this.#beginFlush();
    if (this.#options.bus.isLinked) this.#filler.begin();
  }

  async close(): Promise<void> {
    this.#unwatch();
    this.#endTap?.();
    this.#endFlush?.();
    this.#filler.close();
    if (this.#spec === null) return;
    await this.#store.flush();
    this.#store.flushSync();
  }

  #apply(): void {
    const { bus, tap } = this.#options;
    const spec = this.#spec;
    this.#endTap?.();
    this.#endFlush?.();
    this.#endTap = null;
    this.#endFlush = null;
    if (spec === null) return;
    this.#store.limits = { maxBytes: spec.max_bytes, maxAgeMs: spec.max_age_ms };
    this.#filler.rate = { share: spec.share, bandwidth: spec.bandwidth };
    const matchers = spec.topics.map(compileFnmatch);
    this.#endTap = tap.add(
      (topic) => matchers.some((matches) => matches(topic)),
      ({ topic, received, payload }, headers) => {
        const sample = { received, headers: Buffer.from(headers, "latin1"), payload };
        if (bus.isLinked) this.#unconfirmed.add(topic, sample, performance.now());
        else this.#store.append(topic, sample);
      },
    );
    this.#beginFlush();
    if (bus.isLinked) this.#filler.begin();
  }

  #beginFlush(): void {
    this.#endFlush?.();
    this.#endFlush = everyBeat(FLUSH_MS, () => this.#store.beat(), this.#options.clock);
  }

  #cut(): void {
    this.#filler.end();
    this.#keepUnconfirmed();
  }

  #keepUnconfirmed(): void {
    for (const { topic, sample } of this.#unconfirmed.take()) this.#store.append(topic, sample);
  }
}
