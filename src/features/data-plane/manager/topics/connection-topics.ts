import { MgrError } from "../../../../base/errors.ts";
import { encodeFrame } from "../../../../protocol/frames/encode.ts";
import type { EncodedFrame } from "../../../../transport/event-batch.ts";
import type { DataPlane, TopicSample } from "../data-plane.ts";
import type { Sight } from "../granted-changes.ts";

/** Maximum number of topics that one connection may subscribe to. */
const MAX_TOPICS = 1_000;

/** Encoded frames: each sample is encoded once for all connections that receive it. */
const encoded = new WeakMap<TopicSample, EncodedFrame>();

/** The topics that one connection is subscribed to. */
export class ConnectionTopics {
  readonly #dataPlane: Pick<DataPlane, "followTopic">;
  readonly #push: (frame: EncodedFrame) => void;
  readonly #grants: Sight;
  readonly #unsubscribe = new Map<string, () => void>();

  constructor(dataPlane: Pick<DataPlane, "followTopic">, push: (frame: EncodedFrame) => void, grants: Sight) {
    this.#dataPlane = dataPlane;
    this.#push = push;
    this.#grants = grants;
  }

  /** Subscribes to a topic; a later call changes its rate. Throws `busy`, and `bad_field` for an invalid topic name. */
  follow(name: string, maxRate: number, fields?: readonly string[]): void {
    if (!this.#unsubscribe.has(name) && this.#unsubscribe.size >= MAX_TOPICS)
      throw new MgrError("busy", `this connection is subscribed to ${MAX_TOPICS} topics: unsubscribe from some first`);
    const unsubscribe = this.#dataPlane.followTopic(name, {
      maxRate,
      receive: (sample) => this.#push(encode(sample)),
      grants: this.#grants,
      ...(fields ? { fields } : {}),
    });
    this.#unsubscribe.get(name)?.();
    this.#unsubscribe.set(name, unsubscribe);
  }

  unfollow(name: string): void {
    this.#unsubscribe.get(name)?.();
    this.#unsubscribe.delete(name);
  }

  close(): void {
    for (const unsubscribe of this.#unsubscribe.values()) unsubscribe();
    this.#unsubscribe.clear();
  }
}

/** Encodes a sample. A connection that is behind receives only the newest sample of each topic. */
function encode(sample: TopicSample): EncodedFrame {
  const known = encoded.get(sample);
  if (known) return known;
  const frame = { bytes: encodeFrame(sample), mergeKey: `sample:${sample.name}` };
  encoded.set(sample, frame);
  return frame;
}
