import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { Instance } from "../support/instance.ts";
import { eventually } from "../support/wait.ts";

const run = promisify(execFile);

/** Path of a Node of this version: the npm package `node` brings the binaries of all releases. */
async function nodeOf(version: string): Promise<string> {
  const { stdout } = await run("npx", ["--yes", "--prefer-offline", "-p", `node@${version}`, "--", "node", "-p", "process.execPath"]);
  return stdout.trim();
}

// package.json promises Node 20.19 and later; these are the oldest that is promised and the long-term releases after it.
test.each(["20.19.0", "22", "24"])(
  "the built program runs under Node %s: up, a process and a terminal, down",
  { timeout: 900_000 },
  async (version) => {
    // Bytecode that this Node has saved is none of theirs.
    await run(process.execPath, [join(import.meta.dirname, "../../../bin/mgr.js"), "--version"]);
    await using instance = new Instance({ processes: { tools: { command: "sh -c 'read line; echo got $line; exec sleep 1000'" } } });
    instance.node = await nodeOf(version);
    await instance.mgr("up", "--detach");
    await instance.mgr("start", "tools");
    const client = await instance.connect();
    client.send({ type: "send_stdin", name: "tools", text: "a line\n" });
    await eventually("the process answers", async () => {
      const { output } = await client.ask({ type: "get_process_output", name: "tools" });
      return String(output).includes("got a line");
    });
    expect((await instance.mgr("logs", "tools")).stdout).toContain("got a line");
    const shown = (await client.process("tools")) as { state: string };
    expect(shown.state).toBe("started");
    await instance.mgr("down");
    expect(instance.living()).toEqual([]);
  },
);
