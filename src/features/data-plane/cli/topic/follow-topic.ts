import type { ManagerClient } from "../../../../client/manager-client.ts";
import { parseTime } from "../../../../protocol/time.ts";
import type { DataClient } from "../../client/index.ts";
import { wallClockNs } from "../../wall-clock.ts";
import { readable, type Sample } from "./sample.ts";

/** Maximum number of samples per second that a manager sends. */
export const MAX_SAMPLED_RATE = 60;
const NS_PER_MS = 1_000_000n;

/** A followed topic. */
export interface Followed {
  /** Number of messages that were published but did not arrive; null if it is unknown. */
  readonly missed: () => number | null;
  /** Number of messages that could not be decoded. */
  readonly undecoded: () => number;
  readonly close: () => void;
}

/** Follows every message on the bus of this machine. */
export function followOnBus(client: DataClient, topic: string, receive: (sample: Sample) => void, warn: (text: string) => void): Followed {
  let problem: string | null = null;
  const subscription = client.subscribe(topic, {
    onMessage: (message) => {
      // Each problem is reported once, not for each message.
      if (message.problem !== null && message.problem !== problem) warn(message.problem);
      problem = message.problem;
      receive({ value: readable(message.value), time: message.time ?? wallClockNs(), seq: message.seq });
    },
  });
  return {
    missed: () => subscription.counters.missed + subscription.counters.dropped,
    undecoded: () => subscription.counters.undecoded,
    close: () => subscription.close(),
  };
}

/** Follows at most `MAX_SAMPLED_RATE` messages per second, from a manager anywhere. */
export async function followOnManager(client: ManagerClient, topic: string, receive: (sample: Sample) => void): Promise<Followed> {
  let undecoded = 0;
  const subscription = client.frames$.subscribe((frame) => {
    if (frame.type !== "topic_sample" || frame.name !== topic) return;
    undecoded = frame.undecoded;
    receive({ value: frame.value, time: BigInt(parseTime(frame.ts)) * NS_PER_MS, seq: null });
  });
  await client.request({ type: "subscribe_topic", name: topic, max_rate: MAX_SAMPLED_RATE });
  return { missed: () => null, undecoded: () => undecoded, close: () => subscription.unsubscribe() };
}
