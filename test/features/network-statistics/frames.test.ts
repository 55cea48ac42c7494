import { afterEach, beforeEach, expect, it } from "vitest";
import { answered, expectUnhindered, handled, held } from "../../transport/load/many-requests.ts";
import { type Client, startRig } from "../../transport/rig.ts";
import { NETWORK_STATS } from "./network-example.ts";

let rig: Awaited<ReturnType<typeof startRig>>;
let client: Client;

beforeEach(async () => {
  rig = await startRig(["db"]);
  client = await rig.connect();
});
afterEach(() => rig[Symbol.asyncDispose]());

it("a measurement holds up no other answer, output or event", async () => {
  const stats = held(NETWORK_STATS);
  rig.control.features.network.stats = stats.begin;
  client.send({ type: "request_network_stats", sample_seconds: 5, request_id: "slow" });
  await expectUnhindered(rig, client, []);
  expect(stats.begun).toBe(1);
  stats.end();
  expect(await client.nextOf("network_stats")).toMatchObject({ request_id: "slow" });
});

it("16 measurements run and 64 wait; beyond that it is busy, for this kind of frame alone", async () => {
  const stats = held(NETWORK_STATS);
  rig.control.features.network.stats = stats.begin;
  for (let index = 0; index < 81; index++) client.send({ type: "request_network_stats", request_id: index });
  expect(await client.next()).toMatchObject({ type: "network_stats", ok: false, code: "busy", request_id: 80 });
  expect(stats.begun).toBe(16);
  expect(await client.ask({ type: "get_snapshot" })).toMatchObject({ type: "snapshot" });
  stats.end(3);
  expect(await client.nextOf("network_stats")).toMatchObject({ request_id: 3 });
  await handled(client);
  expect(stats.begun).toBe(17);
  while (answered(client).filter((id) => /^\d+$/.test(id)).length < 81) {
    stats.endAll();
    await client.next();
  }
});
