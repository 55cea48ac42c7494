import { afterEach, expect, test, vi } from "vitest";
import type { ManagerClient } from "../../src/client/manager-client.ts";
import { loadOlder, olderEntries } from "../../web/src/log/log-history.ts";
import { forgetEntries, storeEntries } from "../../web/src/log/log-store.ts";

afterEach(() => {
  vi.useRealTimers();
  forgetEntries();
  olderEntries.value = "perhaps";
});

test("a batch of older entries that did not come is requested again after a pause; a short one is the last", async () => {
  vi.useFakeTimers();
  storeEntries([{ id: 9, ts: "2026-11-21T08:14:02.123", level: "info", source: "manager", msg: "entry" }]);
  const answers: (() => Promise<object>)[] = [
    async () => Promise.reject(new Error("lost")),
    async () => ({ type: "log_batch", entries: [] }),
  ];
  const request = vi.fn(() => answers.shift()?.());
  const client = { request } as unknown as ManagerClient;
  await loadOlder(client);
  expect(olderEntries.value).toBe("coming");
  await loadOlder(client);
  expect(request).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(olderEntries.value).toBe("perhaps");
  await loadOlder(client);
  expect(olderEntries.value).toBe("none");
  expect(request).toHaveBeenCalledTimes(2);
});
