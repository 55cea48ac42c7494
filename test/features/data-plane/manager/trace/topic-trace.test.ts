import { expect, test } from "vitest";
import { DataPlaneRig } from "../data-plane-rig.ts";

test("a topic is followed through real brokers: what is missing, misspelled, silent or away is named", async () => {
  await using rig = await DataPlaneRig.start();
  const trace = async (name: string, to?: string) => {
    const { steps, wrong } = await rig.dataPlane.traceTopic({ name, ...(to === undefined ? {} : { to }) });
    const first = steps[wrong ?? -1];
    return { steps, found: first && `${first.kind} ${first.name}: ${first.problem}` };
  };
  const driver = await rig.client(rig.one, "driver", ["arm/state"]);
  const viewer = await rig.connect(rig.one, "viewer");
  viewer.subscribe("topic.arm.stat");
  await viewer.flush();
  await expect.poll(() => rig.clientNamed("viewer")?.subscribed_topics).toEqual(["arm/stat"]);
  await expect.poll(() => rig.topic("arm/state")?.publisher).toBe("driver");

  const [missing, nothing] = await Promise.all([trace("arm/stat"), trace("arm/state", "viewer")]);
  expect(missing.found).toBe("publisher -: no client publishes 'arm/stat'; did you mean 'arm/state'?");
  expect(nothing.found).toBe("publisher driver: it is connected, but has published nothing so far");

  const publishing = setInterval(() => driver.publish("topic.arm.state", "1"), 5);
  try {
    await expect.poll(() => rig.topic("arm/state")?.published_packets).toBeGreaterThan(0);
    const [nearMiss, absent] = await Promise.all([trace("arm/state", "viewer"), trace("arm/state", "viewr")]);
    expect(nearMiss.found).toBe("subscriber viewer: it does not subscribe to 'arm/state'; did you mean 'arm/stat'?");
    expect(absent.found).toBe("subscriber viewr: no client or process 'viewr' is connected; did you mean 'viewer'?");

    viewer.subscribe("topic.arm.state");
    await viewer.flush();
    await expect.poll(() => rig.topic("arm/state")?.subscribers).toBe(1);
    const good = await trace("arm/state");
    expect(good.found).toBeUndefined();
    expect(good.steps.map(({ kind, name }) => `${kind} ${name}`)).toEqual(["publisher driver", "broker one", "subscriber viewer"]);
    for (const { rate } of good.steps) expect(rate).toBeGreaterThan(0);
  } finally {
    clearInterval(publishing);
  }
});
