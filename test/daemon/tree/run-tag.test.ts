import { afterEach, expect, it, vi } from "vitest";

afterEach(() => {
  vi.doUnmock("node:worker_threads");
  vi.resetModules();
});

it("in a worker thread runs get no tag: the limit that carries it is that of the whole program", async () => {
  vi.doMock("node:worker_threads", async (original) => ({ ...(await original<object>()), isMainThread: false }));
  vi.resetModules();
  const { RunTags } = await import("../../../src/daemon/tree/run-tag.ts");
  expect(new RunTags("marker").give(() => "started")).toEqual({ started: "started", tag: null });
});

it("in the main thread each run has a tag of its own", async () => {
  const { RunTags } = await import("../../../src/daemon/tree/run-tag.ts");
  const tags = new RunTags("marker");
  const first = tags.give(() => {}).tag;
  expect(first).toEqual(expect.any(Number));
  expect(tags.give(() => {}).tag).toBe((first ?? 0) + 1);
});
