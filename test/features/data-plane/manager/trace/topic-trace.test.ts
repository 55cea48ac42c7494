import { expect, test } from "vitest";
import { DataPlaneRig } from "../data-plane-rig.ts";

/** Follows a topic as `mgr topic why` does. `found`: the first step with a problem. */
async function traced(rig: DataPlaneRig, name: string, to?: string) {
  const { steps, wrong } = await rig.dataPlane.traceTopic({ name, ...(to === undefined ? {} : { to }) });
  const first = steps[wrong ?? -1];
  return { steps, found: first && `${first.kind} ${first.name}: ${first.problem}` };
}

test("a topic is followed through real brokers: a missing, silent or misspelled name is found", async () => {
  await using rig = await DataPlaneRig.start();
  const trace = (name: string, to?: string) => traced(rig, name, to);
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

test("a host whose link is cut is named: as that of the publisher, and of what may be published there", async () => {
  await using rig = await DataPlaneRig.start();
  const viewer = await rig.client(rig.one, "viewer");
  viewer.subscribe("topic.cam.image");
  await viewer.flush();
  await rig.client(rig.two, "camera", ["cam/image"]);
  await expect.poll(() => rig.topic("cam/image")?.subscribers).toBe(1);

  rig.two.cut(true);
  const { steps, found } = await traced(rig, "cam/image");
  expect(found).toBe("broker two: the broker of host 'two' could not be read: the link is cut");
  expect(steps.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
    "publisher camera",
    "broker two",
    "link two → manager",
    "broker manager",
    "link manager → one",
    "broker one",
    "subscriber viewer",
  ]);

  await expect.poll(() => rig.engine.control.state.hosts().map(({ state }) => state), { timeout: 60_000 }).toEqual(["ready", "lost"]);
  expect((await traced(rig, "cam/other")).found).toBe(
    "publisher -: no client publishes 'cam/other'; 'two' cannot be reached, and what is published there is not known",
  );
  rig.two.cut(false);
});
