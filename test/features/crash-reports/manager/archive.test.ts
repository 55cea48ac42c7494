import { expect, test } from "vitest";
import { Rig } from "../../../http/rig.ts";
import { unpack } from "../../../http/unpack.ts";

test("the archive has the crash reports", async () => {
  await using rig = await Rig.start();
  const files = await unpack(rig, "?name=bench");
  expect(JSON.parse(files.get("bench/crash-reports/sim/world/7-3.json") ?? "")).toMatchObject({ name: "sim/world", signal: "SIGSEGV" });
});
