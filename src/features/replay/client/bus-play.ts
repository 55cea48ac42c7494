import type { MgrError } from "../../../base/errors.ts";
import { pause, systemClock } from "../../../base/timing/clock.ts";
import type { DataClient } from "../../data-plane/client/index.ts";
import type { PlaySource } from "../player/play-source.ts";
import type { PlaySpan } from "../player/play-span.ts";
import { Player } from "../player/player.ts";
import type { TopicPlan } from "../player/topic-plan.ts";
import { PlayedTopics } from "./played-topics.ts";

/** Time before the connection is closed, milliseconds: subscribers request definitions when the first message arrives. */
const LINGER_MS = 500;

export interface BusPlayOptions {
  readonly client: DataClient;
  readonly source: PlaySource;
  readonly plan: TopicPlan;
  readonly span: PlaySpan;
  readonly rate: number;
  readonly isLooping: boolean;
  readonly isPaused: boolean;
  /** Whether the time is published as `mgr/clock`. */
  readonly hasClock: boolean;
}

/** A play of files on a bus, which ends when the broker gives one of its topics to another client. */
export class BusPlay {
  readonly player: Player;
  readonly #output: PlayedTopics;
  #failure: MgrError | null = null;

  /** Reserves all topics. Rejects with `conflict` if one of them has a live publisher that is registered. */
  static async reserve(options: BusPlayOptions): Promise<BusPlay> {
    let play: BusPlay | null = null;
    const { client, source, plan, hasClock } = options;
    const refused = (error: MgrError) => play?.fail(error);
    const output = await PlayedTopics.reserve({ client, channels: source.channels, plan, hasClock, refused });
    play = new BusPlay(output, options);
    return play;
  }

  private constructor(output: PlayedTopics, { source, plan, span, rate, isLooping, isPaused }: BusPlayOptions) {
    this.#output = output;
    this.player = new Player({
      source,
      output,
      clock: systemClock,
      wants: (topic) => plan.names.has(topic),
      ...span,
      rate,
      isLooping,
      isPaused,
    });
  }

  /** Why the broker refused a message; null: it did not. */
  get failure(): MgrError | null {
    return this.#failure;
  }

  /** Ends the play with an error. */
  fail(error: MgrError): void {
    this.#failure ??= error;
    this.player.stop();
  }

  /** Resolves when the broker has processed everything and the connection may be closed. */
  async finish(signal?: AbortSignal): Promise<void> {
    // The last messages may be refused, too.
    await this.#output.confirm();
    await pause(systemClock, LINGER_MS, signal);
  }
}
