import { beforeAll, expect, test } from "vitest";
import { MERGED, SEARCH } from "../../../../web/src/features/output-search/views.ts";
import { addressOfView, addViewTypes, viewOfAddress } from "../../../../web/src/state/views.ts";

beforeAll(() => addViewTypes([SEARCH, MERGED]));

test("the search and merged output have addresses, and keep their own parameters only", () => {
  expect(addressOfView({ kind: "search" }, "?q=x&only=a&at=1")).toBe("/?q=x&view=search");
  expect(viewOfAddress({ pathname: "/", search: "?view=search&q=x" })).toEqual({ kind: "search" });
  expect(addressOfView({ kind: "merged", of: "sim/sensors" }, "?q=x&filter=a")).toBe("/?filter=a&merged=sim/sensors");
  expect(viewOfAddress({ pathname: "/", search: "?merged=*" })).toEqual({ kind: "merged", of: "*" });
});
