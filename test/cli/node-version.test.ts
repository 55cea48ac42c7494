import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const PROGRAM = fileURLToPath(new URL("../../bin/mgr.js", import.meta.url));
const run = promisify(execFile);

it.each(["18.20.1", "20.18.3"])("Node %s is refused in words, before anything else is loaded", async (version) => {
  const pretend = `Object.defineProperty(process, "versions", {value: {...process.versions, node: "${version}"}})`;
  const outcome = await run(process.execPath, ["--import", `data:text/javascript,${encodeURIComponent(pretend)}`, PROGRAM, "ps"]).catch(
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
  expect(outcome).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringContaining(`needs Node 20.19 or later; this is Node ${version}`),
  });
});
