import { messageOf } from "../../../base/errors.ts";
import { parseJson } from "../../../base/json.ts";
import { isTopicEncoding } from "../../../base/topics/topic-encodings.ts";
import { subjectTokens } from "../../../base/topics/topic-subject.ts";
import type { Bus } from "../../../bus/client/bus.ts";
import { type TopicCodec, topicCodec } from "./topic-codec.ts";
import { describeTopic, INFO_PREFIX, type TopicDefinition } from "./topic-publisher.ts";

const TIMEOUT_MS = 10_000;
/** Pause before the definition is requested again from a publisher that did not answer, milliseconds. */
const RETRY_MS = 2_000;

/** Decodes the messages of one topic, by a given definition or by one requested from the publisher. */
export class TopicDecoder {
  readonly #bus: Bus;
  readonly #topic: string;
  readonly #isFixed: boolean;
  #codec: TopicCodec | null = null;
  #parsed = "";
  #retryAt = 0;
  /** The publisher did not answer. The request is repeated, but messages no longer wait for it. */
  #isSilent = false;
  #asking: Promise<void> | null = null;

  constructor(bus: Bus, topic: string, definition: TopicDefinition | undefined) {
    this.#bus = bus;
    this.#topic = topic;
    this.#isFixed = definition !== undefined;
    if (definition === undefined) return;
    const { encoding, definition: text } = describeTopic(topic, definition, {});
    this.#codec = topicCodec(encoding, text);
  }

  /** Called when the publisher has restarted and may have another definition. */
  forget(): void {
    if (this.#isFixed) return;
    this.#codec = null;
    this.#retryAt = 0;
    this.#isSilent = false;
  }

  /** Resolves when the publisher has answered or the request failed; null if messages need not wait. */
  waitFor(): Promise<void> | null {
    if (this.#codec !== null || (this.#asking === null && performance.now() < this.#retryAt)) return null;
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = null;
    });
    return this.#isSilent ? null : this.#asking;
  }

  /** Decodes a message; if that fails, `value` is the bytes, and `problem` the reason. */
  decode(data: Uint8Array): { value: unknown; problem: string | null } {
    if (this.#codec === null) return { value: data, problem: null };
    try {
      return { value: this.#codec.decode(data), problem: null };
    } catch (error) {
      return { value: data, problem: messageOf(error) };
    }
  }

  async #ask(): Promise<void> {
    try {
      const { data } = await this.#bus.request(INFO_PREFIX + subjectTokens(this.#topic), "", { timeoutMs: TIMEOUT_MS });
      const answer = parseJson(new TextDecoder().decode(data));
      const encoding: unknown = Reflect.get(Object(answer), "encoding");
      const definition: unknown = Reflect.get(Object(answer), "definition");
      if (typeof definition !== "string" || !isTopicEncoding(encoding)) throw new Error("not understood");
      const parsed = `${encoding} ${definition}`;
      if (this.#codec === null || parsed !== this.#parsed) this.#codec = topicCodec(encoding, definition);
      this.#parsed = parsed;
    } catch {
      // The publisher does not use a client library, so its messages are bytes.
      this.#isSilent = true;
      this.#retryAt = performance.now() + RETRY_MS;
    }
  }
}
