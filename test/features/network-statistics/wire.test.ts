import { expect, it } from "vitest";
import { decodeFrame } from "../../../src/protocol/frames/decode.ts";
import { MANAGER_FRAMES } from "../../../src/protocol/frames/frames.ts";
import { expectSampleSeconds } from "../../protocol/counts.ts";
import { NETWORK_STATS, NETWORK_TOPOLOGY, TCP_CONNECTIONS } from "./network-example.ts";

it.each([
  { type: "network_stats", ok: true, stats: NETWORK_STATS },
  { type: "network_topology", ok: true, topology: NETWORK_TOPOLOGY },
  { type: "tcp_connections", ok: true, host: "rt1", connections: TCP_CONNECTIONS },
] as const)("the example of $type, which the page's tests use, is what the schema says", (frame) => {
  expect(MANAGER_FRAMES[frame.type].schema.parse(frame)).toEqual(frame);
});

it("request_network_stats.sample_seconds is any number from 0 on, kept between 0.1 and 60", () =>
  expectSampleSeconds("request_network_stats"));

it("a wrong sample_seconds is answered by network_stats", () => {
  expect(decodeFrame('{"type":"request_network_stats","sample_seconds":-1}')).toMatchObject({
    error: { type: "network_stats", ok: false },
  });
});
