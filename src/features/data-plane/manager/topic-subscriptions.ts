import { MgrError } from "../../../base/errors.ts";
import { encodeFrame } from "../../../protocol/frames/encode.ts";
import type { EncodedFrame } from "../../../transport/outbox.ts";
import type { DataPlane, TopicSample } from "./data-plane.ts";

/** Maximum number of topics that one connection may subscribe to. */
const MAX_TOPICS = 1_000;

/** Encoded frames: each sample is encoded once for all connections that receive it. */
const encoded = new WeakMap<TopicSample, EncodedFrame>();

/** The topics that one connection is subscribed to. */
export class TopicSubscriptions {
  readonly #dataPlane: Pick<DataPlane, "followTopic">;
  readonly #push: (frame: EncodedFrame) => void;
  readonly #leave = new Map<string, () => void>();

  constructor(dataPlane: Pick<DataPlane, "followTopic">, push: (frame: EncodedFrame) => void) {
    this.#dataPlane = dataPlane;
    this.#push = push;
  }

  /** Subscribes to a topic; a later call changes its rate. Throws `busy`, and `bad_field` for an invalid topic name. */
  follow(name: string, maxRate: number, fields?: readonly string[]): void {
    if (!this.#leave.has(name) && this.#leave.size >= MAX_TOPICS)
      throw new MgrError("busy", `this connection is subscribed to ${MAX_TOPICS} topics: unsubscribe from some first`);
    const leave = this.#dataPlane.followTopic(name, maxRate, (sample) => this.#push(encode(sample)), fields);
    this.#leave.get(name)?.();
    this.#leave.set(name, leave);
  }

  unfollow(name: string): void {
    this.#leave.get(name)?.();
    this.#leave.delete(name);
  }

  close(): void {
    for (const leave of this.#leave.values()) leave();
    this.#leave.clear();
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
