import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rangeOf } from "../../../../src/features/recordings/manager/route.ts";
import { GOOD, Rig } from "../../../http/rig.ts";

it.each([
  [undefined, undefined],
  ["bytes=0-9", { from: 0, end: 10 }],
  ["bytes=90-", { from: 90, end: 100 }],
  ["bytes=90-1000", { from: 90, end: 100 }],
  ["bytes=-10", { from: 90, end: 100 }],
  ["bytes=-1000", { from: 0, end: 100 }],
  ["bytes=100-", null],
  ["bytes=-0", null],
  ["bytes=5-4", undefined],
  ["bytes=-", undefined],
  ["bytes=0-1,5-6", undefined],
  ["lines=0-1", undefined],
  ["bytes=99999999999999999-", undefined],
])("the range %s of 100 bytes is %j", (header, range) => {
  expect(rangeOf(header, 100)).toEqual(range);
});

it("a file without bytes has no range", () => {
  expect([rangeOf("bytes=0-0", 0), rangeOf("bytes=-5", 0), rangeOf("bytes=0-", 0)]).toEqual([null, null, null]);
});

describe("all files as one", () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await Rig.start();
  });
  afterAll(() => rig?.close());

  const get = (query: string, init: RequestInit = {}) =>
    rig.get(`/mgr/recording?${query}`, { authorization: GOOD, range: "bytes=1-2" }, init);

  it("is sent with its length and without ranges, and closed afterwards", async () => {
    const { recordings } = rig.control.features;
    recordings.files.set("run/1", Buffer.from("merged"));
    const response = await get("name=run%2F1&merge=1");
    const { status, headers } = response;
    expect([status, headers.get("content-length"), headers.get("accept-ranges")]).toEqual([200, "6", "none"]);
    expect(headers.get("content-disposition")).toBe('attachment; filename="run_1.mcap"');
    expect(await response.text()).toBe("merged");
    await expect.poll(() => recordings.calls).toContainEqual(["merged file closed", "run/1"]);
    expect((await get("name=none&merge=1")).status).toBe(404);
    expect((await get("name=run%2F1&merge=0")).status).toBe(400);
    expect((await get("name=none&merge=1", { method: "HEAD" })).status).toBe(404);
  });
});
