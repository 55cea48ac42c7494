import { describe, expect, it } from "vitest";
import { readMemo } from "../../../../src/contract/run-memo.ts";
import { readXDisplay, withXDisplay, type XDisplay } from "../../../../src/features/displays/manager/x-display.ts";

const target: XDisplay = { kind: "web", display: ":20", username: "ada", peer: "10.0.0.50:61022", reason: "forward_x11_fallback" };
const memo = (restarts: number) =>
  JSON.stringify({ restarts: 3, attempt: 2, failures: 1, ago: Array.from({ length: restarts }, (_, index) => index * 1_000_000) });

describe("the memo of a run", () => {
  it("has the X display beside the restarts", () => {
    const text = withXDisplay(memo(2), target);
    expect(readXDisplay(text)).toEqual(target);
    expect(readMemo(text, 5_000_000)).toEqual({ restarts: 3, attempt: 2, failures: 1, restartTimes: [5_000_000, 4_000_000] });
  });

  it("has at most 4 KiB: the oldest restarts make room", () => {
    const text = withXDisplay(memo(256), { ...target, username: "x".repeat(2_000) });
    expect(text.length).toBeLessThanOrEqual(4_096);
    expect(readXDisplay(text)?.username).toHaveLength(2_000);
    const { restartTimes, restarts } = readMemo(text, 1e9);
    expect(restarts).toBe(3);
    expect(restartTimes.length).toBeGreaterThan(10);
    expect(restartTimes.at(-1)).toBe(1e9 - 255_000_000);
  });

  it("keeps the counters if the X display has no room at all", () => {
    expect(withXDisplay(memo(2), { ...target, username: "x".repeat(5_000) })).toBe(memo(2));
  });

  it("without an X display, of another version or of another program has no X display", () => {
    expect(readXDisplay(memo(1))).toBeNull();
    for (const text of ["", '"x_display"', '{"x_display":{"kind":"hologram"}}', '{"x_display":7}']) expect(readXDisplay(text)).toBeNull();
  });
});
