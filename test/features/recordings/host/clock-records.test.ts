import { expect, it } from "vitest";
import { FakeOwnClock, RecordingRig } from "./recording-rig.ts";

const known = (offset: bigint, at: bigint, uncertainty = 1_000n) => ({ offset, uncertainty, at });
const SECOND = 1_000_000_000n;

/** Records of the clock, with the numbers of the messages before each. */
function recorded(rig: RecordingRig) {
  return rig
    .read()
    .metadata.filter(({ name }) => name === "mgr.clock")
    .map(({ values }) => values);
}

it("a file says how far the clock is from that of the manager: at its beginning, regularly while that is measured, and at its end", async () => {
  using rig = new RecordingRig();
  rig.ownClock.known = known(5n, 10n);
  await rig.start();
  rig.publish();
  const tells = async (offset: bigint, at: bigint, milliseconds: number) => {
    rig.ownClock.told++;
    rig.ownClock.known = known(offset, at);
    await rig.clock.advance(milliseconds);
  };
  // Within the uncertainty, and soon after the first one.
  await tells(6n, 2n * SECOND, 2_000);
  await tells(7n, 12n * SECOND, 10_000);
  // The manager's clock was set.
  await tells(9n * SECOND, 14n * SECOND, 1_000);
  await tells(9n * SECOND + 1n, 15n * SECOND, 400);
  await rig.recording.stop();
  expect(recorded(rig).map(({ offset_ns, at_ns, step_ns }) => [offset_ns, at_ns, step_ns])).toEqual([
    ["5", "10", "0"],
    ["7", String(12n * SECOND), "0"],
    [String(9n * SECOND), String(14n * SECOND), "0"],
    [String(9n * SECOND + 1n), String(15n * SECOND), "0"],
  ]);
  expect(recorded(rig)[0]?.uncertainty_ns).toBe("1000");
});

it("when the clock of the host is set, a record comes between the last message before it and the first one after it", async () => {
  using rig = new RecordingRig();
  await rig.start();
  rig.publish({ payload: Buffer.from("1") });
  rig.ownClock.timesSet = 1;
  rig.ownClock.setBy = -5n;
  rig.publish({ payload: Buffer.from("2") });
  await rig.recording.stop();
  // The offset was never measured, but by how much the clock was set is known.
  expect(recorded(rig)).toEqual([{ offset_ns: "", uncertainty_ns: "", at_ns: "", step_ns: "-5" }]);
  expect(rig.read()).toMatchObject({ chunks: 2, messages: [{ data: Buffer.from("1") }, { data: Buffer.from("2") }] });
});

it("a recording that no manager has told anything has no such record", async () => {
  using rig = new RecordingRig();
  await rig.start();
  rig.publish();
  await rig.clock.advance(20_000);
  await rig.recording.stop();
  expect(new FakeOwnClock().now()).toBeNull();
  expect(recorded(rig)).toEqual([]);
});
