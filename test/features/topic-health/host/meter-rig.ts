import { expect } from "vitest";
import type { Tap, TapListener, TappedMessage } from "../../../../src/features/data-plane/host/index.ts";
import { TopicMeters } from "../../../../src/features/topic-health/host/topic-meter.ts";
import { SimulatedClock } from "../../../../src/testing/simulated-clock.ts";

const NS_PER_MS = 1_000_000n;

/** A tap without a broker, whose messages arrive by the simulated clock. */
export class MeterRig {
  readonly clock = new SimulatedClock();
  readonly listeners = new Set<TapListener>();
  readonly meters = new TopicMeters(
    {
      add: (matches: (topic: string) => boolean, listener: TapListener) => {
        expect([matches("a"), matches("b")]).toEqual([true, false]);
        this.listeners.add(listener);
        return () => this.listeners.delete(listener);
      },
    } as unknown as Tap,
    this.clock,
  );

  /** `latencyMs`: null: the publisher does not state its time. */
  publish(latencyMs: number | null = null): void {
    const received = BigInt(Math.round(this.clock.monotonic())) * NS_PER_MS;
    const published = latencyMs === null ? null : received - BigInt(latencyMs) * NS_PER_MS;
    const rest = { topic: "a", definition: "", definitionName: "", encoding: "raw", sequence: null, payload: new Uint8Array(0) };
    for (const listener of this.listeners) listener({ ...rest, received, published } satisfies TappedMessage, "");
  }
}
