import { expect } from "vitest";
import { decodeFrame } from "../../src/protocol/frames/decode.ts";

const decode = (frame: object) => decodeFrame(JSON.stringify(frame));

/** A count of a frame: above its maximum it is taken as the maximum, below 1 it is refused. */
export function expectCount(frame: { type: string; name?: string }, field: string, maximum: number): void {
  for (const value of [maximum, maximum + 1, 1e300])
    expect(decode({ ...frame, [field]: value })).toMatchObject({ frame: { [field]: maximum } });
  expect(decode({ ...frame, [field]: 1 })).toMatchObject({ frame: { [field]: 1 } });
  for (const value of [0, -1, 0.99, "5", null])
    expect(decode({ ...frame, [field]: value })).toMatchObject({ error: { code: "bad_field" } });
  expect(decode(frame).ok).toBe(true);
}

/** `sample_seconds` of a frame. */
export function expectSampleSeconds(type: string): void {
  for (const [value, taken] of [
    [0, 0.1],
    [0.05, 0.1],
    [0.25, 0.25],
    [1.5, 1.5],
    [61, 60],
    [1e300, 60],
  ])
    expect(decode({ type, sample_seconds: value })).toMatchObject({ frame: { sample_seconds: taken } });
  for (const value of [-0.1, "5", null]) expect(decode({ type, sample_seconds: value })).toMatchObject({ error: { code: "bad_field" } });
  expect(decode({ type }).ok).toBe(true);
}
