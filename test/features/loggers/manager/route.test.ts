import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { MgrError } from "../../../../src/base/errors.ts";
import type { DownloadRequest } from "../../../../src/features/loggers/manager/loggers.ts";
import { GOOD, Rig, USER } from "../../../http/rig.ts";

let rig: Rig;
let close: ReturnType<typeof vi.fn<() => Promise<void>>>;
const SIZE = 600_000;

beforeAll(async () => {
  rig = await Rig.start();
});
afterAll(() => rig?.close());
beforeEach(() => {
  close = vi.fn(async () => {});
  rig.control.features.loggers.loggers = [{ name: "arm", enabled: true, active_topics: [], topics: [] }];
  rig.control.features.loggers.onDownload = async () => ({
    size: SIZE,
    read: async (from, max) => Buffer.alloc(Math.min(max, SIZE - from), from % 251),
    close,
  });
});

const get = (query: string, init: RequestInit = {}) => rig.get(`/mgr/logger-download?${query}`, { authorization: GOOD }, init);
const failing = (error: Error) => {
  rig.control.features.loggers.onDownload = () => Promise.reject(error);
};

it("the route sends the file with its length and a safe name, and closes it afterwards", async () => {
  const asked = vi.fn<(request: DownloadRequest) => void>();
  const { onDownload } = rig.control.features.loggers;
  rig.control.features.loggers.onDownload = (request) => {
    asked(request);
    return onDownload(request);
  };
  const response = await get("name=arm");
  expect(response.status).toBe(200);
  expect(response.headers.get("content-length")).toBe(String(SIZE));
  expect(response.headers.get("content-disposition")).toBe('attachment; filename="arm.pickle"');
  expect((await response.arrayBuffer()).byteLength).toBe(SIZE);
  await vi.waitFor(() => expect(close).toHaveBeenCalledOnce(), { timeout: 60_000 });
  expect(asked).toHaveBeenCalledWith(expect.objectContaining({ name: "arm", format: "pickle", stop: false }));
});

it.each([
  ["name=arm&format=matlab&stop=1", { format: "matlab", stop: true }, "arm.mat"],
  ["name=arm&format=raw&stop", { format: "raw", stop: true }, "arm.tar"],
  ["name=arm&format=csv&stop=0", { format: "csv", stop: false }, "arm.zip"],
  ["name=arm&format=mcap&stop=false", { format: "mcap", stop: false }, "arm.mcap"],
  [
    `name=${encodeURIComponent('../größe "5\r\n/x')}`,
    { name: '../größe "5\r\n/x' },
    "gr_e_5_x.pickle\"; filename*=UTF-8''gr%C3%B6%C3%9Fe%20_5_x.pickle",
  ],
  ["name=%E6%97%A5", { name: "日" }, "logger.pickle\"; filename*=UTF-8''%E6%97%A5.pickle"],
])("%s", async (query, request, file) => {
  const asked = vi.spyOn(rig.control.features.loggers, "download");
  const response = await get(query);
  await response.arrayBuffer();
  expect(asked).toHaveBeenLastCalledWith(expect.objectContaining(request), USER);
  expect(response.headers.get("content-disposition")).toBe(`attachment; filename="${file}${file.includes('"') ? "" : '"'}`);
});

it.each([
  [new MgrError("not_found", "there is no logger 'x'"), 404],
  [new MgrError("conflict", "the logger 'x' has no samples yet"), 409],
  [new MgrError("too_large", "the variable 'x' would have 3 GiB"), 413],
  [new MgrError("host_unavailable", "host 'rt1' was lost"), 503],
  [new MgrError("busy", "2 downloads are under way"), 503],
  [new MgrError("internal", "the disk is full", { cause: Object.assign(new Error("no space"), { code: "ENOSPC" }) }), 503],
])("%s is reported as text with status %i", async (error, status) => {
  failing(error);
  const response = await get("name=x");
  expect([response.status, response.headers.get("content-type")]).toEqual([status, "text/plain; charset=utf-8"]);
  expect(await response.text()).toBe(`${error.message}.\n`);
  expect(response.headers.has("content-disposition")).toBe(false);
});

it("a defect is logged, and reported without its details", async () => {
  failing(new TypeError("undefined is not a function"));
  const response = await get("name=arm");
  expect([response.status, await response.text()]).toEqual([500, "Internal error. See the manager's log for details.\n"]);
  expect(rig.logged.at(-1)).toContain("undefined is not a function");
});

it("without a name, with an unknown format, or from another site nothing is collected", async () => {
  const asked = vi.spyOn(rig.control.features.loggers, "download").mockClear();
  for (const query of ["", "name=", "name=arm&format=xml", "name=arm&format=__proto__"]) expect((await get(query)).status).toBe(400);
  const foreign = await rig.get("/mgr/logger-download?name=arm&stop=1", { authorization: GOOD, "sec-fetch-site": "cross-site" });
  expect(foreign.status).toBe(403);
  const head = await get("name=arm&stop=1", { method: "HEAD" });
  expect([head.status, head.headers.get("content-disposition")]).toEqual([200, 'attachment; filename="arm.pickle"']);
  expect((await get("name=none", { method: "HEAD" })).status).toBe(404);
  expect(asked).not.toHaveBeenCalled();
});

it("a client that disconnects while the file is written ends the collection; one that disconnects while it is sent closes the file", async () => {
  const gone = new AbortController();
  const ended = new Promise<void>((resolve) => {
    rig.control.features.loggers.onDownload = ({ signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener("abort", () => {
          resolve();
          reject(signal.reason);
        });
        gone.abort();
      });
  });
  await expect(get("name=arm", { signal: gone.signal })).rejects.toThrow();
  await ended;
  rig.control.features.loggers.onDownload = async () => ({ size: 2 ** 30, read: async (_from, max) => Buffer.alloc(max), close });
  const second = new AbortController();
  const response = await get("name=arm", { signal: second.signal });
  expect(response.status).toBe(200);
  second.abort();
  await vi.waitFor(() => expect(close).toHaveBeenCalledOnce(), { timeout: 60_000 });
});
