import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { bundled } from "../support/bundled.ts";

it("flags of V8 are changed while a program loads, are the default again when code is loaded from the cache, and a burst ends", async () => {
  const program = await bundled("test/fixtures/engine-flags.ts");
  const { stdout } = await promisify(execFile)(process.execPath, [program]);
  // The default of the flag is known for Node 20.
  const changesWhileLoading = process.version.startsWith("v20.");
  expect(JSON.parse(stdout)).toEqual({ changesWhileLoading, isRestored: true, burstEnds: true });
});
