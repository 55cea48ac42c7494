import { expect, test } from "vitest";
import { clockFigures } from "../../../../src/features/flight/cli/host-clocks.ts";
import type { HostEntry } from "../../../../src/protocol/resources/resources.ts";

const host = (name: string) => ({ name }) as HostEntry;

test("mgr hosts has the offset of each clock with its uncertainty, and nothing without a flight recorder", () => {
  const figures = clockFigures([
    { host: "rt1", offset_ms: 1_300.0214, uncertainty_ms: 0.41 },
    { host: "rt2", offset_ms: -0.5, uncertainty_ms: 0.2 },
    { host: "rt3", offset_ms: null, uncertainty_ms: null },
  ]);
  const texts = ["rt1", "rt2", "rt3", "new"].map((name) => figures?.columns[0]?.text(host(name)));
  expect(texts).toEqual(["+1300.021 ± 0.410 ms", "-0.500 ± 0.200 ms", "not measured", "not measured"]);
  expect(figures?.json(host("rt1"))).toEqual({ offset_ms: 1_300.0214, uncertainty_ms: 0.41 });
  expect(figures?.json(host("new"))).toEqual({ offset_ms: null, uncertainty_ms: null });
  expect(clockFigures([])).toBeNull();
});
