import { expect, test } from "vitest";
import { placeOf, ticksOf, timeAfterKey, withTime, zoomed } from "../../../../web/src/features/flight/timeline/axis.ts";
import { loadCurves, networkCurves, valueUntil } from "../../../../web/src/features/flight/timeline/curves.ts";
import { lanesOf } from "../../../../web/src/features/flight/timeline/lanes.ts";
import type { RecordedMessage } from "../../../../web/src/features/recordings/file/recorded-file.ts";

const WHOLE = { from: 100, until: 200 };
const message = (topic: string, time: number, value: object, host = "rt1"): RecordedMessage => ({
  topic,
  host,
  time,
  value,
  data: new Uint8Array(),
});
const change = (time: number, kind: string, rest: object = {}) =>
  message("mgr/processes", time, { kind, name: "arm", ready: false, stopping: false, exit: null, ...rest });

test("keys move the cursor by steps of what is shown, to the ends and to the cause, and never out of the incident", () => {
  const press = (key: string, shiftKey = false, time = 150) =>
    timeAfterKey({ key, shiftKey }, { time, shown: { from: 140, until: 160 }, whole: WHOLE, cause: 170 });
  expect(press("ArrowRight")).toBeCloseTo(150.1);
  expect(press("ArrowLeft", true)).toBeCloseTo(149);
  expect(press("PageUp")).toBeCloseTo(151);
  expect([press("Home"), press("End"), press("Enter")]).toEqual([100, 200, 170]);
  expect(press("ArrowLeft", false, 100)).toBe(100);
  expect(press("x")).toBeNull();
});

test("zooming keeps the place of the cursor, stays within the incident, and ends at a hundredth of a second", () => {
  const closer = zoomed(WHOLE, { factor: 2, around: 125 }, WHOLE);
  expect(closer.from).toBeCloseTo(112.5);
  expect(closer.until).toBeCloseTo(162.5);
  expect(placeOf(125, closer)).toBeCloseTo(placeOf(125, WHOLE));
  expect(zoomed(closer, { factor: 0.1, around: 125 }, WHOLE)).toEqual(WHOLE);
  const closest = zoomed(WHOLE, { factor: 1e9, around: 125 }, WHOLE);
  expect(closest.until - closest.from).toBeCloseTo(0.01);
});

test("what is shown follows the cursor", () => {
  expect(withTime({ from: 110, until: 120 }, 115)).toEqual({ from: 110, until: 120 });
  expect(withTime({ from: 110, until: 120 }, 125)).toEqual({ from: 115, until: 125 });
  expect(withTime({ from: 110, until: 120 }, 105)).toEqual({ from: 105, until: 115 });
});

test("the axis has round times, with as many digits as they need", () => {
  const seconds = ticksOf(WHOLE, 5);
  expect(seconds.map(({ place }) => place)).toEqual([20, 50, 80]);
  expect(ticksOf({ from: 100, until: 100.4 }, 5).at(1)?.text).toMatch(/:40\.1$/);
  expect(ticksOf(WHOLE, 0).length).toBeLessThan(3);
});

test("a lane has the states of a process; before its first change it ran, unless that is its start", () => {
  const exit = { code: null, signal: "SIGSEGV", reason: null };
  const [crashed] = lanesOf(
    [change(120, "ready", { ready: true }), change(150, "exited", { ready: true, exit }), change(151, "extinct", { exit })],
    WHOLE,
  );
  expect(crashed).toEqual({
    name: "arm",
    hasChanged: true,
    segments: [
      { from: 100, until: 120, state: "running", text: "running" },
      { from: 120, until: 150, state: "ready", text: "ready" },
      { from: 150, until: 200, state: "failed", text: "failed: SIGSEGV" },
    ],
  });
  const [stopped] = lanesOf(
    [change(120, "spawned"), change(150, "stopping", { stopping: true }), change(160, "exited", { stopping: true, exit })],
    WHOLE,
  );
  expect(stopped?.segments.map(({ from, state }) => [from, state])).toEqual([
    [120, "running"],
    [150, "stopping"],
    [160, "ended"],
  ]);
});

test("a process that does not change has the state with which the part of its host begins, and nothing is known before that", () => {
  const [crashed, constant] = lanesOf(
    [
      change(100, "state", { ready: true }),
      change(110, "state", { name: "late", stopping: true }),
      change(150, "exited", { exit: { code: 3, signal: null, reason: null } }),
    ],
    WHOLE,
  );
  expect(crashed?.segments.map(({ from, until, state }) => [from, until, state])).toEqual([
    [100, 150, "ready"],
    [150, 200, "failed"],
  ]);
  expect(constant).toEqual({
    name: "late",
    hasChanged: false,
    segments: [{ from: 110, until: 200, state: "stopping", text: "stopping" }],
  });
});

test("processes that failed are listed first, and those of which only the load is known last", () => {
  const exit = { code: 3, signal: null, reason: null };
  const lanes = lanesOf(
    [
      message("mgr/load", 110, { name: "a", cpu_percent: 1 }),
      change(120, "ready", { name: "b", ready: true }),
      change(130, "exited", { name: "c", exit }),
      message("mgr/processes", 131, { kind: "damaged" }),
    ],
    WHOLE,
  );
  expect(lanes.map(({ name, hasChanged }) => [name, hasChanged])).toEqual([
    ["c", true],
    ["b", true],
    ["a", false],
  ]);
  expect(lanes[2]?.segments).toEqual([{ ...WHOLE, state: "running", text: "running, without a change" }]);
});

test("load is that of each machine and of one process, and its value is the last one before the cursor", () => {
  const curves = loadCurves(
    [
      message("mgr/machine", 110, { cpu_percent: 50, memory_used: 1e9 }),
      message("mgr/machine", 110, { cpu_percent: null, memory_used: 2e9 }, "rt2"),
      message("mgr/load", 111, { name: "arm", cpu_percent: 5, memory: null }),
      message("mgr/load", 112, { name: "other", cpu_percent: 99, memory: 1 }),
      message("mgr/machine", 120, { cpu_percent: 70, memory_used: 1e9 }),
    ],
    "arm",
  );
  expect(curves.map(({ title }) => title)).toEqual(["rt1 CPU", "rt1 memory", "rt2 memory", "arm CPU"]);
  const [cpu] = curves;
  expect(cpu && [105, 110, 119, 300].map((time) => valueUntil(cpu, time))).toEqual([null, 50, 50, 70]);
});

test("network figures are the link and the interfaces of each host, without those that were always 0", () => {
  const link = { rtt_ms: 0.512, sent_bytes_s: 2_048, received_bytes_s: 0, retransmits_s: 0 };
  const quiet = { interface: "lo", rx_bytes_s: 0, tx_bytes_s: 0 };
  const curves = networkCurves([
    message("mgr/interfaces", 110, { interface: "eth0", rx_bytes_s: 1_000, tx_bytes_s: 0, rx_drops_s: 0 }, "rt2"),
    message("mgr/interfaces", 110, quiet, "rt2"),
    message("mgr/link", 110, link),
    message("mgr/interfaces", 111, { interface: "eth0", rx_bytes_s: 0, tx_bytes_s: 0, rx_drops_s: 2 }, "rt2"),
  ]);
  expect(curves.map((curve) => `${curve.title}: ${curve.text(valueUntil(curve, 200) ?? 0)}`)).toEqual([
    "rt1 link round trip: 0.512 ms",
    "rt1 link sent: 2.0 kB/s",
    "rt2 eth0 in: 0 B/s",
    "rt2 eth0 dropped in: 2/s",
  ]);
});
