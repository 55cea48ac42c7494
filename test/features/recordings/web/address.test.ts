import { expect, test } from "vitest";
import { RECORDED, RECORDINGS } from "../../../../web/src/features/recordings/views.ts";
import { addressOfView, addViewTypes, viewOfAddress } from "../../../../web/src/state/views.ts";

test("the list of recordings and every recorded file have a link, and the link leads back to it", () => {
  addViewTypes([RECORDINGS, RECORDED]);
  for (const view of [{ kind: "recordings" }, { kind: "recorded", recording: "größe/1", host: "rt1", file: "a b%2F.mcap" }] as const)
    expect(viewOfAddress(new URL(addressOfView(view, ""), "http://localhost"))).toEqual(view);
});
