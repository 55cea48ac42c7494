import { expect, it } from "vitest";
import { MANAGER_FRAMES } from "../../../src/protocol/frames/frames.ts";
import { NETWORK_STATS, NETWORK_TOPOLOGY, TCP_CONNECTIONS } from "./network-example.ts";

it.each([
  { type: "network_stats", ok: true, stats: NETWORK_STATS },
  { type: "network_topology", ok: true, topology: NETWORK_TOPOLOGY },
  { type: "tcp_connections", ok: true, host: "rt1", connections: TCP_CONNECTIONS },
] as const)("the example of $type, which the page's tests use, is what the schema says", (frame) => {
  expect(MANAGER_FRAMES[frame.type].schema.parse(frame)).toEqual(frame);
});
