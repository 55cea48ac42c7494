import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { dismiss, holdToasts, toast, toasts } from "../../web/src/ui/toasts.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  for (const { id } of toasts.value) dismiss(id);
  vi.useRealTimers();
});

const shown = () => toasts.value.map(({ text }) => text);

test("a toast with an action stays while the pointer is on the toasts, and disappears after the pointer has left", () => {
  toast("Stopped sim/base", { action: { label: "Start again", run: () => {} } });
  holdToasts(true);
  vi.advanceTimersByTime(60_000);
  expect(shown()).toEqual(["Stopped sim/base"]);
  holdToasts(false);
  vi.advanceTimersByTime(1_000);
  expect(shown()).toEqual([]);
});

test("a toast that is dismissed under the pointer does not keep later ones", () => {
  holdToasts(true);
  dismiss(toast("first"));
  toast("second");
  vi.advanceTimersByTime(4_000);
  expect(shown()).toEqual([]);
});
