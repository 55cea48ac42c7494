import { MAX_REPORTED_PUBLISHERS, type RegisteredTopic, type TopicCounters, type TopicRecord } from "../../contract/registry.ts";
import type { BorrowedMessage } from "../broker/borrowed-message.ts";
import type { HookedClient } from "../broker/broker-hooks.ts";
import { ownTime, systemTime } from "../broker/handover/system-time.ts";
import type { Envelope } from "../broker/parser/broker-operations.ts";
import type { TopicPolicy } from "../broker/queues/topic-policy.ts";
import type { CheckedDefinition } from "./definition-checks.ts";
import { ForeignPackets } from "./foreign-packets.ts";
import type { KeptShare } from "./kept-share.ts";
import { LastMessage } from "./last-message.ts";
import type { TopicState } from "./registry-state.ts";
import { TopicRate } from "./topic-rate.ts";

type Definition = Pick<
  TopicRecord,
  "definition" | "definition_name" | "encoding" | "keep_last" | "priority" | "max_age_ms" | "reliable_within"
>;
/** Receives each message of a topic as it is published. The message is borrowed. */
export type TopicSink = (entry: TopicEntry, envelope: Envelope, message: BorrowedMessage) => void;
const NO_POLICY = { priority: 0, max_age_ms: null, reliable_within: null };
const UNKNOWN: Definition = { definition: "", definition_name: "", encoding: "raw", keep_last: false, ...NO_POLICY };

/** One topic with its publisher, as one broker knows it. */
export class TopicEntry {
  readonly subject: string;
  readonly name: string;
  owner: HookedClient;
  /** Whether the topic is registered: then only the owner may publish it. */
  isReserved = false;
  /** Whether a client of another host has the topic. */
  isLost = false;
  /** Programs that publish it without a registration, besides the owner. */
  readonly others = new Set<HookedClient>();
  /** Whether another client publishes it through a nats-server. */
  readonly foreign = new ForeignPackets();
  /** Policy for messages that wait for slow receivers; null: the default. */
  policy: TopicPolicy | null = null;
  /** Receives the messages; null: the topic is not recorded. */
  sink: TopicSink | null = null;
  packets = 0;
  bytes = 0;
  lastSize = 0;
  dropped = 0;
  /** Number of kept messages that were lost because memory was used up. */
  keptDropped = 0;
  readonly #shareOf: (owner: HookedClient) => KeptShare;
  #last: LastMessage | null = null;
  /** Reason why messages cannot be decoded by the definition; null: they can be, or it was not checked yet. */
  definitionProblem: string | null = null;
  #rate = new TopicRate();
  /** `packets` at the newest reading of the rate, and the time of the first reading with this number; null: no message was read yet. */
  #read: { packets: number; since: number | null } = { packets: 0, since: null };
  #definition = UNKNOWN;

  constructor(subject: string, name: string, owner: HookedClient, shareOf: (owner: HookedClient) => KeptShare) {
    this.#shareOf = shareOf;
    this.subject = subject;
    this.name = name;
    this.owner = owner;
  }

  /** Registers the topic for `owner`. Returns true if anything changed. */
  reserve(owner: HookedClient, topic: RegisteredTopic): boolean {
    const { definition, definition_name, encoding, keep_last, priority, max_age_ms = null, reliable_within = null } = topic;
    const before = this.#definition;
    const name = definition_name ?? titleOf(definition, encoding);
    const isSameName = this.owner === owner && before.definition_name === name && before.encoding === encoding;
    // The text of a message that is only named is known from the first check.
    const known = definition === "" && name !== "" && isSameName ? before.definition : definition;
    this.#define({ definition: known, definition_name: name, encoding, keep_last, priority, max_age_ms, reliable_within });
    if (before.definition !== known || !isSameName) this.definitionProblem = null;
    if (!keep_last) this.#keep(null);
    const isNew = !this.isReserved || this.owner !== owner;
    if (isNew) this.handOver(owner);
    this.isReserved = true;
    this.others.clear();
    return isNew || (Object.keys(before) as (keyof Definition)[]).some((key) => before[key] !== this.#definition[key]);
  }

  /** Records the result of the check of the definition. Returns true if anything changed. */
  checked({ definition, problem }: CheckedDefinition): boolean {
    if (this.#definition.definition === definition && this.definitionProblem === problem) return false;
    this.#definition = { ...this.#definition, definition };
    this.definitionProblem = problem;
    return true;
  }

  /** State for the next program, and the bytes of the kept message. */
  saved(): { readonly state: TopicState; readonly kept: readonly Buffer[] } {
    const { subject, name, isReserved, isLost, packets, bytes, lastSize, dropped, keptDropped } = this;
    const { headerBytes = 0, size = 0, pieces = [] } = this.#last?.contents ?? {};
    const state = {
      ...{ subject, name, isReserved, isLost, packets, bytes, lastSize, dropped, keptDropped },
      owner: this.owner.id,
      others: [...this.others].map(({ id }) => id),
      definition: this.#definition,
      problem: this.definitionProblem,
      readings: this.#rate.readings.map((reading) => ({ ...reading, at: systemTime(reading.at) })),
      kept: this.#last === null ? null : { moment: this.#last.moment, headerBytes, bytes: size },
    };
    return { state, kept: pieces };
  }

  /** Continues a topic of an earlier program. `kept`: the bytes of its kept message. */
  restore(state: TopicState, kept: Buffer): void {
    const { isReserved, isLost, packets, bytes, lastSize, dropped, keptDropped } = state;
    Object.assign(this, { isReserved, isLost, packets, bytes, lastSize, dropped, keptDropped });
    this.#define(state.definition);
    this.definitionProblem = state.problem;
    this.#read = { packets, since: null };
    this.#rate.restore(state.readings.map((reading) => ({ ...reading, at: ownTime(reading.at) })));
    if (state.kept === null) return;
    const { headerBytes, bytes: size, moment } = state.kept;
    this.#keep(new LastMessage(this.owner, { subject: this.subject, headerBytes, size }, kept, moment));
  }

  #define(definition: Definition): void {
    const { priority, max_age_ms, reliable_within } = definition;
    this.#definition = definition;
    const hasPolicy = priority > 0 || max_age_ms !== null || reliable_within !== null;
    this.policy = hasPolicy ? { priority, maxAgeMs: max_age_ms, reliableBytes: reliable_within } : null;
  }

  /** Changes the owner. Counters restart, because they belong to the previous publisher. */
  handOver(owner: HookedClient): void {
    if (this.owner === owner) return;
    this.#keep(null);
    this.owner = owner;
    this.packets = 0;
    this.bytes = 0;
    this.lastSize = 0;
    this.dropped = 0;
    this.keptDropped = 0;
    this.#rate = new TopicRate();
    this.#read = { packets: 0, since: null };
  }

  get last(): LastMessage | null {
    return this.#last;
  }

  /** Drops the kept message: the topic is removed. */
  close(): void {
    this.#keep(null);
  }

  /** Drops the kept message: memory is used up. */
  loseLast(): void {
    this.keptDropped++;
    this.#keep(null);
  }

  #keep(last: LastMessage | null): void {
    const before = this.#last;
    if (before === last) return;
    this.#last = last;
    this.#shareOf(this.owner).replaced(this, before?.bytes ?? 0, last?.bytes ?? 0);
  }

  published(envelope: Envelope, message: BorrowedMessage): void {
    this.packets++;
    this.bytes += envelope.size;
    // Headers are the envelope of the bus, not a part of the message.
    this.lastSize = envelope.size - envelope.headerBytes;
    if (this.#definition.keep_last) this.#keep(new LastMessage(this.owner, envelope, message.whole()));
    this.sink?.(this, envelope, message);
  }

  get definition(): Definition {
    return this.#definition;
  }

  readRate(at: number): void {
    if (this.packets !== this.#read.packets) this.#read = { packets: this.packets, since: at };
    this.#rate.read(at, this.packets, this.bytes);
  }

  /** Milliseconds since the last message, to half a second, at the time `at` of the monotonic clock; null: not known, or there was none. */
  quietFor(at: number): number | null {
    const { packets, since } = this.#read;
    if (this.packets !== packets) return 0;
    return since === null ? null : Math.max(0, at - since);
  }

  /** The counters at the time `at` of the monotonic clock. */
  countersAt(at: number): TopicCounters {
    const { packets, bytes, lastSize, dropped, keptDropped } = this;
    const rates = { rate: rounded(this.#rate.packets), bytes_rate: rounded(this.#rate.bytes) };
    return { at: systemTime(at), packets, bytes, last_size: lastSize, dropped, kept_dropped: keptDropped, ...rates };
  }

  get record(): TopicRecord {
    const { subject, name, owner, isReserved, isLost } = this;
    const counters = this.countersAt(performance.now());
    return {
      subject,
      name,
      connection: owner.id,
      reserved: isReserved,
      lost: isLost,
      others: this.#otherProcesses(),
      foreign: this.foreign.isPresent,
      ...this.#definition,
      definition_problem: this.definitionProblem,
      counters,
    };
  }

  #otherProcesses(): string[] {
    const names = new Set<string>();
    for (const { identity } of this.others) {
      names.add(names.size < MAX_REPORTED_PUBLISHERS - 1 ? (identity?.process ?? "") : "");
      if (names.size >= MAX_REPORTED_PUBLISHERS) break;
    }
    return [...names];
  }
}

/** The name of a JSON Schema is its title. */
function titleOf(definition: string, encoding: RegisteredTopic["encoding"]): string {
  if (encoding !== "json" || definition === "") return "";
  try {
    const schema: unknown = JSON.parse(definition);
    const title = schema !== null && typeof schema === "object" && "title" in schema ? schema.title : "";
    return typeof title === "string" ? title.slice(0, MAX_TITLE) : "";
  } catch {
    return "";
  }
}

const MAX_TITLE = 255;

function rounded(rate: number): number {
  return Math.round(rate * 1_000) / 1_000;
}
