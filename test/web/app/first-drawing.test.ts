import { signal } from "@preact/signals";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { drawFirst, MAX_WAIT_MS } from "../../../web/src/app/first-drawing.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function page(kind: "connecting" | "open" | "lost" = "connecting") {
  const connection = signal({ kind });
  const draw = vi.fn();
  drawFirst(connection, draw);
  return { connection, draw };
}

test.each(["open", "lost"] as const)("the page is drawn once, in a task after the one in which the connection is %s", (kind) => {
  const { connection, draw } = page();
  vi.advanceTimersByTime(MAX_WAIT_MS - 1);
  connection.value = { kind };
  expect(draw).not.toHaveBeenCalled();
  connection.value = { kind };
  vi.advanceTimersByTime(0);
  expect(draw).toHaveBeenCalledOnce();
  connection.value = { kind: "lost" };
  vi.runAllTimers();
  expect(draw).toHaveBeenCalledOnce();
});

test("the page is drawn without a snapshot when that takes too long, and not again when the snapshot arrives", () => {
  const { connection, draw } = page();
  vi.advanceTimersByTime(MAX_WAIT_MS - 1);
  expect(draw).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(draw).toHaveBeenCalledOnce();
  connection.value = { kind: "open" };
  vi.runAllTimers();
  expect(draw).toHaveBeenCalledOnce();
});

test("a page that is connected already is drawn in the next task", () => {
  const { draw } = page("open");
  vi.advanceTimersByTime(0);
  expect(draw).toHaveBeenCalledOnce();
});
