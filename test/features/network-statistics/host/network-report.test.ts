import { expect, it } from "vitest";
import { systemClock } from "../../../../src/base/timing/clock.ts";
import { jsonOf } from "../../../../src/bus/client/rpc-envelope.ts";
import { TargetCounts } from "../../../../src/bus/streams/target-counts.ts";
import { ListPages } from "../../../../src/daemon/lists/list-pages.ts";
import { networkPage } from "../../../../src/features/network-statistics/contract.ts";
import { NetworkReport } from "../../../../src/features/network-statistics/host/network-report.ts";
import { RegistryRig } from "../../../bus/registry/registry-rig.ts";

const lists = { pages: new ListPages(systemClock) };
const topic = (name: string) => ({ name, definition: "{}", encoding: "json" });

it("the messages of a program stay counted when it has ended, and continue to count when it is started again", async () => {
  await using rig = await RegistryRig.start();
  const report = new NetworkReport({ clock: systemClock, lists, bus: rig, forwards: new TargetCounts(), processNames: () => () => null });
  const counted = () => networkPage.parse(jsonOf(report.list({ interfaces: false }).data)).filter(({ kind }) => kind === "published");
  for (const run of [1, 2]) {
    const program = await rig.client("driver", [topic("arm/state")]);
    for (let message = 0; message < 10; message++) program.publish("topic.arm.state", "12345");
    program.publish("other.subject", "1");
    await program.flush();
    const all = [{ kind: "published", subject: "topic.arm.state", msgs: run * 10, bytes: run * 50 }];
    expect(counted()).toEqual(all);
    await program.close();
    await expect.poll(() => rig.topic("arm/state")).toBeUndefined();
    expect(counted()).toEqual(all);
  }
});

it("counters have the time of the monotonic clock: a step of the wall clock changes no rate", () => {
  const times = [1_000, 3_000];
  const now = () => {
    throw new Error("the wall clock can be stepped");
  };
  const clock = { ...systemClock, now, monotonic: () => times.shift() ?? Number.NaN };
  const report = new NetworkReport({ clock, lists, bus: null, forwards: new TargetCounts(), processNames: () => () => null });
  expect([report.list({ interfaces: true }).time, report.list({ interfaces: true }).time]).toEqual([1_000, 3_000]);
});

it("interfaces and forwards are in the first reading of a sample, and not in the second one", () => {
  const report = new NetworkReport({ clock: systemClock, lists, bus: null, forwards: new TargetCounts(), processNames: () => () => null });
  const kinds = (interfaces: boolean) => networkPage.parse(jsonOf(report.list({ interfaces }).data)).map(({ kind }) => kind);
  expect(kinds(true)).toEqual(expect.arrayContaining(["interface", "udp", "forwarding"]));
  expect(kinds(false)).toEqual([]);
});
