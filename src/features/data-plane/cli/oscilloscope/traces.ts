import { MgrError } from "../../../../base/errors.ts";
import type { TopicMessage, TopicSubscription } from "../../client/index.ts";
import { fieldAt, fieldPathText, leavesOf, numberOf } from "../../field-path.ts";
import { readable } from "../topic/sample.ts";
import { TraceBuffer } from "./trace-buffer.ts";
import { type Candidate, candidatesOf } from "./trace-name.ts";

/** Maximum number of traces of one scope, and of fields of one topic that are shown without being named. */
export const MAX_TRACES = 24;
const MAX_FIELDS = 12;
const MAX_LEAVES = 1_000;

export interface Trace {
  readonly name: string;
  /** Number of the colour, from 1. */
  readonly colour: number;
  readonly buffer: TraceBuffer;
  isHidden: boolean;
  /** The reason why there are no values; "" once there are. */
  status: string;
  /** Number of messages that were missed, by sequence number. */
  missed: number;
}

interface Opened extends Trace {
  /** Possible meanings of the name; one, once a message has shown which it is. */
  candidates: readonly Candidate[];
}

/** Subscribes to a topic; the client provides it, except in tests. */
export type Subscribe = (
  topic: string,
  onMessage: (message: Pick<TopicMessage, "value">) => void,
) => Pick<TopicSubscription, "close" | "counters">;

/** The traces of a scope: one subscription per topic, whatever the number of its fields. */
export class Traces {
  readonly #subscribe: Subscribe;
  /** Monotonic time in seconds. */
  readonly #now: () => number;
  readonly #all: Opened[] = [];
  readonly #topics = new Map<string, ReturnType<Subscribe>>();

  constructor(subscribe: Subscribe, now: () => number) {
    this.#subscribe = subscribe;
    this.#now = now;
  }

  get all(): readonly Trace[] {
    return this.#all;
  }

  /** Opens a trace; one that is open already stays. Throws `bad_field` for a name that cannot be a trace, `busy` if there are too many. */
  open(name: string): void {
    if (this.#all.some((trace) => trace.name === name)) return;
    const candidates = candidatesOf(name);
    if (candidates.length === 0)
      throw new MgrError("bad_field", `'${name}' is not a trace; it must be a topic and a field, for example arm/state.position[0]`);
    if (this.#all.length >= MAX_TRACES) throw new MgrError("busy", `there are ${MAX_TRACES} traces already; remove one first`);
    this.#add(name, candidates);
    this.#follow();
  }

  remove(name: string): void {
    const index = this.#all.findIndex((trace) => trace.name === name);
    if (index !== -1) this.#all.splice(index, 1);
    this.#follow();
  }

  clear(): void {
    for (const trace of this.#all) trace.buffer.clear();
  }

  #add(name: string, candidates: readonly Candidate[]): Opened {
    const used = new Set(this.#all.map(({ colour }) => colour));
    let colour = 1;
    while (used.has(colour)) colour++;
    const trace = { name, colour, candidates, buffer: new TraceBuffer(), isHidden: false, status: "waiting for messages", missed: 0 };
    this.#all.push(trace);
    return trace;
  }

  /** Subscribes to exactly the topics that are needed now. */
  #follow(): void {
    const needed = new Set(this.#all.flatMap(({ candidates }) => candidates.map(({ topic }) => topic)));
    for (const [topic, subscription] of this.#topics) {
      if (needed.has(topic)) continue;
      subscription.close();
      this.#topics.delete(topic);
    }
    for (const topic of needed) {
      if (this.#topics.has(topic)) continue;
      this.#topics.set(
        topic,
        this.#subscribe(topic, ({ value }) => this.#receive(topic, readable(value))),
      );
    }
  }

  #receive(topic: string, value: unknown): void {
    const time = this.#now();
    const missed = this.#topics.get(topic)?.counters.missed ?? 0;
    for (const trace of [...this.#all]) {
      const candidate = trace.candidates.find((each) => each.topic === topic);
      if (candidate === undefined) continue;
      if (candidate.path === null) {
        this.#expand(trace, topic, value);
        continue;
      }
      const number = numberOf(fieldAt(value, candidate.path));
      if (number === null) {
        if (trace.buffer.size === 0) trace.status = `no numeric field ${fieldPathText(candidate.path)} in ${topic}`;
        continue;
      }
      trace.status = "";
      trace.missed = missed;
      trace.buffer.add(time, number);
      this.#decide(trace, candidate);
    }
  }

  #decide(trace: Opened, candidate: Candidate): void {
    if (trace.candidates.length === 1) return;
    trace.candidates = [candidate];
    this.#follow();
  }

  /** Replaces the trace of a topic without a field by traces of its numeric fields. */
  #expand(trace: Opened, topic: string, value: unknown): void {
    const paths = leavesOf(value, MAX_LEAVES)
      .filter((leaf) => numberOf(leaf.value) !== null)
      .map(({ path }) => path);
    if (paths.length === 0) {
      trace.status = `no numeric field in ${topic}`;
      return;
    }
    this.#all.splice(this.#all.indexOf(trace), 1);
    for (const path of paths.slice(0, MAX_FIELDS)) {
      const text = fieldPathText(path);
      const name = text === "" ? topic : `${topic}${text.startsWith("[") ? "" : "."}${text}`;
      if (this.#all.length >= MAX_TRACES || this.#all.some((each) => each.name === name)) continue;
      const number = numberOf(fieldAt(value, path));
      const field = this.#add(name, [{ topic, path }]);
      field.status = "";
      if (number !== null) field.buffer.add(this.#now(), number);
    }
    this.#follow();
  }
}
