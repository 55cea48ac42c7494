import { expect, test } from "vitest";
import { Rig } from "../../../http/rig.ts";
import { unpack } from "../../../http/unpack.ts";
import { NETWORK_STATS, NETWORK_TOPOLOGY } from "../network-example.ts";

test("the archive has the network, as the live answers show it", async () => {
  await using rig = await Rig.start();
  const files = await unpack(rig, "?name=bench");
  expect(JSON.parse(files.get("bench/network.json") ?? "")).toEqual({ ok: true, stats: NETWORK_STATS, topology: NETWORK_TOPOLOGY });
});
