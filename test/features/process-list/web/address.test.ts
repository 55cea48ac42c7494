import { beforeAll, describe, expect, test } from "vitest";
import { TASKS } from "../../../../web/src/features/process-list/views.ts";
import { type Address, addressOfView, addViewTypes, isPoppedOut, socketQuery, viewOfAddress } from "../../../../web/src/state/views.ts";

const at = (address: string): Address => new URL(address, "http://localhost");

describe("addresses of process lists", () => {
  beforeAll(() => addViewTypes([TASKS]));
  test("every list has a link, and the link leads back to it", () => {
    for (const view of [{ kind: "tasks" }, { kind: "tasks", host: "rt1", pid: 4711, tid: 4712 }] as const)
      expect(viewOfAddress(at(addressOfView(view, "")))).toEqual(view);
  });
  test("invalid pids and hosts are ignored, and other views have neither", () => {
    expect(addressOfView({ kind: "overview" }, "?process=a&v=1&pid=7")).toBe("/?v=1");
    expect(viewOfAddress(at("/mgr/process-list?pid=x&tid=-1&host="))).toEqual({ kind: "tasks" });
  });
  test("a window of its own has a connection like the page", () => {
    expect(isPoppedOut(at("/mgr/process-list?window=1"))).toBe(true);
    expect(socketQuery(at("/mgr/process-list?window=1"))).toBe("");
  });
});
