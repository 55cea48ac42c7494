import { expect, test } from "vitest";
import { Rig } from "../../../http/rig.ts";
import { unpack } from "../../../http/unpack.ts";

test("the archive has the process list of each host", async () => {
  await using rig = await Rig.start();
  const files = await unpack(rig, "?name=bench");
  expect(JSON.parse(files.get("bench/process-list/testhost.json") ?? "")).toMatchObject({ host: "testhost", rows: [] });
});
