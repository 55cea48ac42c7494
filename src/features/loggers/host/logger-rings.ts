import type { z } from "zod";
import { MgrError } from "../../../base/errors.ts";
import type { HandedOver } from "../../../base/handed-over.ts";
import type { MemoryBudget, MemoryHolder } from "../../../bus/broker/queues/memory-budget.ts";
import type { RequestOf, ResponseOf } from "../../../contract/messages.ts";
import { takenState } from "../../../daemon/handover/taken-state.ts";
import type { Tap, TappedMessage } from "../../data-plane/host/index.ts";
import { cappedSum } from "../../recordings/capped-sum.ts";
import { type LoggerSpec, type LoggerTopicSpec, MAX_LOGGERS, type RingReport } from "../contract.ts";
import { readRecords } from "./ring-records.ts";
import { type RingState, ringsState, SampleReader, SampleWriter } from "./rings-state.ts";
import { SampleRing, type SharedPayload } from "./sample-ring.ts";

const DEFAULT_RING_MEMORY_BYTES = 256 * 1024 * 1024;
/** Share of the memory that is freed at once when it is used up, so that the search for the largest ring is rare. */
const FREED_SHARE = 1 / 64;
/** Number of samples evicted from the largest ring before the search for the largest ring is repeated. */
const MAX_EVICTED_AT_ONCE = 64;

/** The ring of one topic in one logger, and the kind of its messages. */
interface TopicRing {
  readonly logger: string;
  readonly onlyTimes: boolean;
  readonly spec: LoggerTopicSpec;
  ring: SampleRing;
  /** Messages to skip until one is kept. */
  countdown: number;
  /** Definition and encoding of the newest message; null: none has arrived. */
  kind: Pick<TappedMessage, "definition" | "definitionName" | "encoding"> | null;
  sequence: bigint | null;
  missed: number;
  evicted: number;
}

interface Logger {
  readonly spec: LoggerSpec;
  readonly rings: ReadonlyMap<string, TopicRing>;
  readonly share: MemoryHolder;
}

interface LoggerRingsOptions {
  readonly tap: Pick<Tap, "add">;
  /** Memory budget of the broker, which includes the rings. */
  readonly memory: MemoryBudget;
  readonly warn: (msg: string) => void;
  /** State of the loggers of the program that this one replaces. */
  readonly taken?: HandedOver | undefined;
}

/**
 * The loggers of one host: rings of the last messages that its own programs published. They live as long as the daemon, so no sample is lost if the
 * manager is killed, a link breaks or a publisher restarts. The same topic in several loggers shares its payloads.
 */
export class LoggerRings {
  readonly #options: LoggerRingsOptions;
  readonly #loggers = new Map<string, Logger>();
  /** Rings of started loggers. */
  #byTopic: ReadonlyMap<string, readonly TopicRing[]> = new Map();
  #unsubscribe: () => void = () => {};
  #used = 0;
  #maxBytes = DEFAULT_RING_MEMORY_BYTES;
  #isFullReported = false;
  /** The part of `#used` that was reported to the memory budget. */
  #reported = 0;

  constructor(options: LoggerRingsOptions) {
    this.#options = options;
    const taken = takenState(options.taken, ringsState, (_level, msg) => options.warn(msg));
    if (taken !== null) this.#adopt(taken, new SampleReader(options.taken?.bytes ?? {}));
  }

  /** Memory of all rings together, bytes. */
  get used(): number {
    return this.#used;
  }

  set({ logger, max_memory }: RequestOf<"logger_set">): Record<string, never> {
    const known = this.#loggers.get(logger.name);
    if (known === undefined && this.#loggers.size >= MAX_LOGGERS)
      throw new MgrError("conflict", `this host has ${MAX_LOGGERS} loggers; delete one first`);
    const rings = new Map<string, TopicRing>();
    for (const spec of logger.topics) {
      const kept = known?.rings.get(spec.name);
      const ring = kept !== undefined && isSame(kept, spec, logger) ? kept : this.#make(spec, logger);
      // Messages that are published while the logger is stopped do not count as missed.
      if (!logger.is_started) ring.sequence = null;
      rings.set(spec.name, ring);
    }
    for (const [topic, old] of known?.rings ?? []) if (rings.get(topic) !== old) old.ring.clear();
    if (known !== undefined) this.#options.memory.remove(known.share);
    const share = shareOf(logger.name, rings);
    this.#options.memory.add(share);
    this.#loggers.set(logger.name, { spec: logger, rings, share });
    this.#maxBytes = max_memory;
    this.#apply();
    this.#makeRoom();
    return {};
  }

  delete({ name }: RequestOf<"logger_delete">): Record<string, never> {
    const known = this.#loggers.get(name);
    if (known === undefined) return {};
    for (const { ring } of known.rings.values()) ring.clear();
    this.#loggers.delete(name);
    this.#options.memory.remove(known.share);
    this.#apply();
    this.#report();
    return {};
  }

  reports(): { loggers: string[]; rings: RingReport[] } {
    const rings = [...this.#loggers.values()].flatMap((logger) => [...logger.rings.values()]);
    return { loggers: [...this.#loggers.keys()], rings: rings.map(reportOf) };
  }

  ring({ logger, topic }: RequestOf<"logger_ring">): ResponseOf<"logger_ring"> {
    const found = this.#find(logger, topic);
    return { ring: found.kind === null ? null : { ...reportOf(found), definition: found.kind.definition } };
  }

  read({ logger, topic, from, skip, until }: RequestOf<"logger_read">): ResponseOf<"logger_read"> {
    return { ...readRecords(this.#find(logger, topic).ring, { from, skip, until }) };
  }

  /** Hands over all loggers with their samples. They stay as they are. */
  handOver(): HandedOver {
    const samples = new SampleWriter();
    const loggers = [...this.#loggers.values()].map(({ spec, rings }) => ({
      spec,
      rings: [...rings].map(([topic, { ring, countdown, kind, sequence, missed, evicted }]): RingState => {
        samples.add(ring);
        const { first, count } = ring;
        return { topic, countdown, kind, sequence: sequence === null ? null : String(sequence), missed, evicted, first, count };
      }),
    }));
    return { state: { maxBytes: this.#maxBytes, loggers }, descriptors: {}, bytes: samples.bytes };
  }

  #adopt({ maxBytes, loggers }: z.infer<typeof ringsState>, samples: SampleReader): void {
    this.#maxBytes = maxBytes;
    for (const { spec: logger, rings: handed } of loggers) {
      const rings = new Map<string, TopicRing>();
      for (const { topic, first, count, sequence, countdown, kind, missed, evicted } of handed) {
        const spec = logger.topics.find(({ name }) => name === topic) ?? { name: topic, log_size: count, divisor: 1 };
        const ring = this.#ring(spec, first);
        samples.fill(ring, count);
        const begun = { ...this.#make(spec, logger), ring, countdown, kind, missed, evicted };
        rings.set(topic, { ...begun, sequence: sequence === null ? null : BigInt(sequence) });
      }
      const share = shareOf(logger.name, rings);
      this.#options.memory.add(share);
      this.#loggers.set(logger.name, { spec: logger, rings, share });
    }
    this.#apply();
    this.#makeRoom();
  }

  close(): void {
    this.#unsubscribe();
    for (const { share } of this.#loggers.values()) this.#options.memory.remove(share);
    this.#loggers.clear();
    this.#used = 0;
    this.#report();
    this.#byTopic = new Map();
  }

  #find(logger: string, topic: string): TopicRing {
    const found = this.#loggers.get(logger)?.rings.get(topic);
    if (found === undefined) throw new MgrError("not_found", `this host has no logger '${logger}' with the topic '${topic}'`);
    return found;
  }

  #make(spec: LoggerTopicSpec, { name, only_ts }: LoggerSpec): TopicRing {
    const ring = this.#ring(spec);
    return { logger: name, onlyTimes: only_ts, spec, ring, countdown: 0, kind: null, sequence: null, missed: 0, evicted: 0 };
  }

  #ring({ log_size }: LoggerTopicSpec, first = 0): SampleRing {
    const grow = (bytes: number) => {
      this.#used += bytes;
    };
    return new SampleRing(log_size, grow, first);
  }

  #apply(): void {
    const byTopic = new Map<string, TopicRing[]>();
    for (const { spec, rings } of this.#loggers.values()) {
      if (!spec.is_started) continue;
      for (const [topic, ring] of rings) byTopic.set(topic, [...(byTopic.get(topic) ?? []), ring]);
    }
    this.#byTopic = byTopic;
    this.#unsubscribe();
    this.#unsubscribe =
      byTopic.size === 0
        ? () => {}
        : this.#options.tap.add(
            (topic) => this.#byTopic.has(topic),
            (message) => this.#receive(message),
          );
  }

  #receive(message: TappedMessage): void {
    let shared: SharedPayload | null = null;
    for (const kept of this.#byTopic.get(message.topic) ?? []) {
      this.#follow(kept, message);
      if (kept.countdown > 0) {
        kept.countdown -= 1;
        continue;
      }
      kept.countdown = kept.spec.divisor - 1;
      if (!kept.onlyTimes) shared ??= copyOf(message.payload);
      const { received, published, sequence } = message;
      kept.ring.push({ received, published, sequence, payload: kept.onlyTimes ? null : shared });
    }
    this.#makeRoom();
  }

  /** Counts messages that were sent but did not arrive, and drops older samples that the new definition cannot decode. */
  #follow(kept: TopicRing, { topic, sequence, definition, definitionName, encoding }: TappedMessage): void {
    const gap = sequence === null || kept.sequence === null ? 0 : Number(sequence - kept.sequence - 1n);
    if (gap > 0) kept.missed = cappedSum(kept.missed, gap);
    kept.sequence = sequence;
    const { kind } = kept;
    if (kind !== null && kind.definition === definition && kind.encoding === encoding) return;
    if (kind !== null && kept.ring.count > 0) {
      this.#options.warn(
        `logger '${kept.logger}' drops ${kept.ring.count} samples of '${topic}': its messages have another definition from now on`,
      );
      kept.ring.clear();
    }
    kept.kind = { definition, definitionName, encoding };
  }

  /** Reports the change to the memory budget at the end of each operation: the budget may drop samples within the call. */
  #report(): void {
    const { memory } = this.#options;
    while (this.#used !== this.#reported) {
      const grown = this.#used - this.#reported;
      this.#reported = this.#used;
      memory.grow(grown);
    }
  }

  /** Evicts the oldest samples of the largest ring first. */
  #makeRoom(): void {
    this.#freeOwn();
    this.#report();
  }

  #freeOwn(): void {
    if (this.#used <= this.#maxBytes) return;
    if (!this.#isFullReported) {
      this.#isFullReported = true;
      const limit = Math.round(this.#maxBytes / 1024 / 1024);
      this.#options.warn(
        `loggers use all of their ${limit} MiB: the oldest samples of the largest ring are dropped from now on; raise loggers.max_memory or lower log_size`,
      );
    }
    const rings = [...this.#loggers.values()].flatMap((logger) => [...logger.rings.values()]);
    const goal = this.#maxBytes * (1 - FREED_SHARE);
    while (this.#used > goal) {
      const largest = rings.reduce<TopicRing | null>((a, b) => (a === null || b.ring.bytes > a.ring.bytes ? b : a), null);
      if (largest === null || largest.ring.count === 0) return;
      for (let n = 0; n < MAX_EVICTED_AT_ONCE && largest.ring.count > 0 && this.#used > goal; n++) {
        largest.ring.dropOldest();
        largest.evicted += 1;
      }
    }
  }
}

/** The memory of one logger. Payloads that other loggers also hold count for each. */
function shareOf(name: string, rings: ReadonlyMap<string, TopicRing>): MemoryHolder {
  return {
    owner: `logger '${name}'`,
    get bytes() {
      return [...rings.values()].reduce((sum, { ring }) => sum + ring.bytes, 0);
    },
    free() {
      const largest = [...rings.values()].reduce<TopicRing | null>((a, b) => (a === null || b.ring.bytes > a.ring.bytes ? b : a), null);
      if (largest === null || largest.ring.count === 0) return false;
      largest.ring.dropOldest();
      largest.evicted += 1;
      return true;
    },
  };
}

function isSame({ spec, onlyTimes }: TopicRing, { log_size, divisor }: LoggerTopicSpec, { only_ts }: LoggerSpec): boolean {
  return spec.log_size === log_size && spec.divisor === divisor && onlyTimes === only_ts;
}

/** Copies the payload into its own memory: a slice would keep the whole larger buffer. */
function copyOf(payload: Uint8Array): SharedPayload {
  const bytes = Buffer.allocUnsafeSlow(payload.length);
  bytes.set(payload);
  return { bytes, holders: 0 };
}

function reportOf({ logger, spec, ring, kind, missed, evicted }: TopicRing): RingReport {
  return {
    logger,
    topic: spec.name,
    first: ring.first,
    end: ring.end,
    definition_name: kind?.definitionName ?? "",
    encoding: kind?.encoding ?? "",
    missed,
    evicted,
  };
}
