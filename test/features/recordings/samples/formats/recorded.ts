import type { Sample, TopicSamples } from "../../../../../src/features/recordings/samples/samples.ts";
import type { Kind } from "./judge.ts";

export function sample(payload: Uint8Array | null, number = 0): Sample {
  return {
    received: 1_700_000_000_123_456_789n + BigInt(number),
    published: 1_700_000_000_000_000_001n + BigInt(number),
    sequence: BigInt(number),
    payload,
  };
}

export function recorded(topic: string, samples: readonly Sample[], more: Partial<TopicSamples> = {}): TopicSamples {
  const about = { host: "local", definition: "", definitionName: "", encoding: "raw", only_ts: false, missed: 0 } as const;
  async function* all() {
    yield* samples;
  }
  return { topic, ...about, count: samples.length, samples: all, ...more };
}

/** As judge.py prints it. */
export function canonical(element: string, value: unknown): string {
  if (element === "string") return String(value);
  if (element !== "float32" && element !== "float64") return BigInt(value as number).toString();
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(element === "float32" ? Math.fround(Number(value)) : Number(value));
  return Number.isNaN(value) ? "nan" : bytes.toString("hex");
}

export function canonicalCell([element, shape]: Kind, value: unknown): unknown {
  return shape === "scalar" ? canonical(element, value) : Array.from(value as ArrayLike<unknown>, (each) => canonical(element, each));
}
