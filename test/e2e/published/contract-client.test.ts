import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { demo } from "../support/demo.ts";

const CLIENT = fileURLToPath(new URL("../../fixtures/contract-client.js", import.meta.url));

test("a client of a hundred lines that knows only the words of the protocol uses the demo: login, output, start, type, stop, topic, overrides, logger, network", async () => {
  await using instance = await demo();
  const words = [CLIENT, instance.url, instance.user, instance.password];
  const { stdout } = await promisify(execFile)(process.execPath, words, { timeout: 240_000 });
  expect(stdout.trim().split("\n")).toEqual([
    "login 200 true",
    "snapshot true",
    "subscribe, start, type, stop",
    "topic arm/simulation true",
    "override date",
    "parameter true",
    "logger true",
    "download 200 true true",
    "network true true true true true",
  ]);
});
