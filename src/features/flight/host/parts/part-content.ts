import { MAX_MISSING } from "../../contract.ts";

const NS_PER_MS = 1_000_000n;
/** Topics whose losses are named one by one; the others are summed. */
const MAX_NAMED_TOPICS = 10;
/** Longest name in a sentence, UTF-16 code units. */
const MAX_NAME = 200;

/** Gaps of a part, as sentences for a person. */
export class Missing {
  readonly #sentences: string[];
  readonly #losses: Map<string, number>;

  constructor(sentences: readonly string[] = [], losses: Iterable<readonly [string, number]> = []) {
    this.#sentences = [...sentences];
    this.#losses = new Map(losses);
  }

  add(sentence: string): void {
    if (this.#sentences.length < MAX_MISSING - MAX_NAMED_TOPICS - 1 && !this.#sentences.includes(sentence)) this.#sentences.push(sentence);
  }

  lost(topic: string, count: number): void {
    this.#losses.set(topic, (this.#losses.get(topic) ?? 0) + count);
  }

  get sentences(): string[] {
    const topics = [...this.#losses].sort(([, a], [, b]) => b - a);
    const named = topics.slice(0, MAX_NAMED_TOPICS).map(([topic, count]) => `${messages(count)} of ${topic.slice(0, MAX_NAME)}`);
    const others = topics.slice(MAX_NAMED_TOPICS);
    const rest = others.reduce((sum, [, count]) => sum + count, 0);
    return [...this.#sentences, ...named, ...(rest === 0 ? [] : [`${messages(rest)} of ${others.length} other topics`])];
  }

  get state(): { sentences: string[]; losses: [string, number][] } {
    return { sentences: [...this.#sentences], losses: [...this.#losses] };
  }
}

const messages = (count: number): string => (count === 1 ? "1 message" : `${count} messages`);

/** The time of day in UTC, for a sentence: `14:03:07.250 UTC`. */
export const timeText = (ns: bigint): string => `${new Date(Number(ns / NS_PER_MS)).toISOString().slice(11, 23)} UTC`;

export const milliseconds = (ns: bigint): number => Number(ns / NS_PER_MS);
