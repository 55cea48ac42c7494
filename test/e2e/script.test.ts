import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { Instance } from "./support/instance.ts";
import { ECHO } from "./support/shell.ts";

const SCRIPT = fileURLToPath(new URL("../../examples/scripts/control.js", import.meta.url));

test("a short script with nothing but ws logs in, takes a snapshot, starts a process, types into it, reads it and stops it", async () => {
  await using instance = await Instance.up({ processes: { "tools/echo": { command: ECHO }, other: { command: "sleep 1000" } } });
  const { user, password, url } = instance;
  const { stdout } = await promisify(execFile)(process.execPath, [SCRIPT, url, user, password, "tools/echo"], { timeout: 30_000 });

  const lines = stdout.trim().split("\n");
  expect(lines[0]).toBe("2 processes");
  expect(lines.filter((line) => line.startsWith("tools/echo is "))).toEqual(
    ["starting", "started", "stopping", "stopped"].map((state) => `tools/echo is ${state}`),
  );
  const output = lines.filter((line) => line.startsWith('"')).map((line) => JSON.parse(line) as string);
  expect(output.join("")).toContain("hello\r\n");
  expect(output.join("")).toContain("you typed hello\r\n");
});

test("the script has twenty lines", () => {
  const lines = readFileSync(SCRIPT, "utf8").split("\n");
  expect(lines.filter((line) => line.trim() !== "" && !line.startsWith("//"))).toHaveLength(19);
});
