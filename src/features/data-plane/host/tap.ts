import { messageOf } from "../../../base/errors.ts";
import { compileFnmatch } from "../../../base/patterns/fnmatch.ts";
import type { Registry } from "../../../bus/registry/registry.ts";
import type { TopicSink } from "../../../bus/registry/topic-entry.ts";
import { wallClockNs } from "../wall-clock.ts";

/** One published message. `payload` is valid only during the call: copy it. */
export interface TappedMessage {
  readonly topic: string;
  readonly definition: string;
  readonly definitionName: string;
  readonly encoding: string;
  /** Time of receipt by the clock of this host, nanoseconds since 1970. */
  readonly received: bigint;
  /** `Mgr-Time`; null: the publisher does not send it. */
  readonly published: bigint | null;
  /** `Mgr-Seq`; null: the publisher does not send it. */
  readonly sequence: bigint | null;
  readonly payload: Uint8Array;
}

/** `headers`: the header block as it was published, with its first line, as text of one character a byte; empty: the message has none. */
export type TapListener = (message: TappedMessage, headers: string) => void;

const SEQUENCE = /\r\nMgr-Seq: ?([1-9]\d{0,15})\r/;
const TIME = /\r\nMgr-Time: ?(\d{1,19})\r/;

/**
 * Messages that the programs of one broker publish, for rings and recordings. They are read within the broker, so that neither a slow reader nor a
 * link can lose one. Messages that a link brings from other hosts are not included. A topic that is not recorded costs one comparison for each
 * message.
 */
export class Tap {
  readonly #registry: Pick<Registry, "tap">;
  readonly #log: (msg: string) => void;
  readonly #taps = new Set<{ matches: (topic: string) => boolean; listener: TapListener }>();

  constructor(registry: Pick<Registry, "tap">, log: (msg: string) => void) {
    this.#registry = registry;
    this.#log = log;
  }

  /**
   * `topics`: an fnmatch pattern, or a function that selects topics. Topics that appear later are included. Returns the function that ends the
   * tap.
   */
  add(topics: string | ((topic: string) => boolean), listener: TapListener): () => void {
    const tap = { matches: typeof topics === "string" ? compileFnmatch(topics) : topics, listener };
    this.#taps.add(tap);
    this.#apply();
    return () => {
      if (this.#taps.delete(tap)) this.#apply();
    };
  }

  #apply(): void {
    this.#registry.tap((topic) => this.#sinkOf(topic));
  }

  #sinkOf(topic: string): TopicSink | null {
    // A listener with two matching patterns receives each message once.
    const listeners = new Set([...this.#taps].filter(({ matches }) => matches(topic)).map(({ listener }) => listener));
    if (listeners.size === 0) return null;
    return ({ definition: { definition, definition_name, encoding } }, { headerBytes, size }, message) => {
      const bytes = message.whole();
      const headers = headerBytes === 0 ? "" : bytes.toString("latin1", 0, headerBytes);
      const sequence = SEQUENCE.exec(headers)?.[1];
      const published = TIME.exec(headers)?.[1];
      const tapped: TappedMessage = {
        topic,
        definition,
        definitionName: definition_name,
        encoding,
        received: wallClockNs(),
        published: published === undefined ? null : BigInt(published),
        sequence: sequence === undefined ? null : BigInt(sequence),
        payload: bytes.subarray(headerBytes, size),
      };
      for (const listener of listeners) {
        try {
          listener(tapped, headers);
        } catch (error) {
          // A hook that throws would end the publisher's connection.
          this.#log(`recording '${topic}' failed: ${messageOf(error)}`);
        }
      }
    };
  }
}
