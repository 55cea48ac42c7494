import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Client } from "../support/client.ts";
import { Instance } from "../support/instance.ts";
import { SecondUser } from "../support/second-user.ts";
import { sh } from "../support/shell.ts";
import { eventually } from "../support/wait.ts";

/** Prints a known text once, and in later runs another one. */
const PRINTER = sh(
  'if [ -e ran ]; then echo second run; else touch ran; i=0; while [ $i -lt 300 ]; do echo "line $i with some ü"; i=$((i+1)); done; fi; echo ready; exec sleep 1000',
);
const FIRST_RUN = `${Array.from({ length: 300 }, (_, index) => `line ${index} with some ü\r\n`).join("")}ready\r\n`;
const KILLED = /the daemon of this host ended \(SIGKILL or a crash\) at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/;

async function outputOf(client: Client, name: string): Promise<string> {
  const { output } = await client.ask({ type: "get_process_output", name, lines: 100_000 });
  return String(output);
}

const runtimeFolder = (instance: Instance) => join(String(instance.lockOf("manager").socket), "..", "output");
const contentOf = (folder: string) => (existsSync(folder) ? readdirSync(folder).flatMap((file) => ifThere(join(folder, file))) : []);
/** A daemon that runs may remove a file that was just listed. */
function ifThere(path: string): string[] {
  try {
    return [readFileSync(path, "utf8")];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
const keeps = (folder: string, text: string) => () => contentOf(folder).some((content) => content.endsWith(text));

/** As when the machine goes down at once. */
async function killBoth(instance: Instance): Promise<void> {
  instance.kill("manager");
  instance.kill("daemon");
  await eventually("both are dead", () => instance.pidOf("manager") === null && instance.pidOf("daemon") === null);
}

describe("output of a process", () => {
  test("survives a killed daemon byte for byte, and the log has the reason why the process was started again", async () => {
    await using instance = new Instance({ processes: { printer: { command: PRINTER, autostart: true } } });
    await instance.mgr("up", "--detach");
    const folder = runtimeFolder(instance);
    await eventually("its output is kept", keeps(folder, FIRST_RUN));
    await killBoth(instance);

    await instance.mgr("up", "--detach");
    const client = await instance.connect();
    const output = await eventually("the second run has printed", async () => {
      const text = await outputOf(client, "printer");
      return text.endsWith("second run\r\nready\r\n") ? text : null;
    });
    expect(output.startsWith(FIRST_RUN)).toBe(true);
    const between = output.slice(FIRST_RUN.length, -"second run\r\nready\r\n".length);
    expect(between).toMatch(KILLED);
    expect(between.split("\n")).toHaveLength(3);
    const { stdout } = await instance.mgr("log", "-n", "1000");
    expect(stdout).toMatch(new RegExp(`process 'printer': ${KILLED.source}; it is started, as requested`));
    expect((await instance.mgr("logs", "-n", "100000", "printer")).stdout).toContain("line 0 with some ü");
  });

  test("is not sent again to a viewer that was subscribed when its daemon was killed", async () => {
    await using instance = await Instance.up({
      processes: { printer: { command: PRINTER, autostart: true, restart: { policy: "always", delay: "10ms" } } },
    });
    const client = await instance.connect();
    await client.command({ type: "subscribe_process_output", patterns: ["printer"] });
    await eventually("its output is kept", keeps(runtimeFolder(instance), FIRST_RUN));
    const from = client.here;
    instance.kill("daemon");
    await client.untilOutput("printer", "ready\r\n", from);
    const live = client.frames.slice(from).filter(({ type }) => type === "process_output");
    expect(live.map(({ output }) => output).join("")).toBe("second run\r\nready\r\n");
    expect(live.every(({ skipped }) => skipped === undefined)).toBe(true);
  });

  test("survives a host that goes down with output_on_disk, and without it does not", async () => {
    const processes = {
      "on-disk": { command: sh("echo text on disk; exec sleep 1000"), output_on_disk: true },
      plain: { command: sh("echo text in memory; exec sleep 1000") },
    };
    await using instance = new Instance({ processes });
    await instance.mgr("up", "--detach", "--all");
    const memory = runtimeFolder(instance);
    const disk = join(instance.stateDir, "output");
    await eventually("both are kept in memory", () =>
      ["memory", "disk"].every((word) => contentOf(memory).some((text) => text.includes(word))),
    );
    await eventually("one is kept on disk", keeps(disk, "text on disk\r\n"));
    await killBoth(instance);
    // The next boot has an empty runtime folder and another id.
    for (const file of readdirSync(memory)) rmSync(join(memory, file));
    const note = join(instance.stateDir, "daemon.json");
    writeFileSync(note, JSON.stringify({ ...JSON.parse(readFileSync(note, "utf8")), boot_id: "an earlier one" }), { mode: 0o600 });

    await instance.mgr("up", "--detach");
    const client = await instance.connect();
    const onDisk = await eventually("it runs again", async () => {
      const text = await outputOf(client, "on-disk");
      return text.split("text on disk").length === 3 ? text : null;
    });
    expect(onDisk).toMatch(/^text on disk\r\n.*the host was restarted/s);
    await eventually("the other runs again", async () => (await outputOf(client, "plain")) === "text in memory\r\n");
  });

  test("can be read by its user only, and is removed with its process and by an orderly end", async () => {
    using mallory = new SecondUser();
    const printer = { command: sh("echo a secret; exec sleep 1000"), autostart: true };
    await using instance = new Instance({ processes: { printer, removed: printer } });
    await instance.mgr("up", "--detach");
    const folder = runtimeFolder(instance);
    await eventually(
      "both are kept",
      () => contentOf(folder).length === 2 && contentOf(folder).every((text) => text.endsWith("a secret\r\n")),
    );
    const modes = [folder, ...readdirSync(folder).map((file) => join(folder, file))].map((path) => statSync(path).mode & 0o777);
    expect(modes).toEqual([0o700, 0o600, 0o600]);
    expect(mallory.find(folder)).toEqual([]);
    await killBoth(instance);

    writeFileSync(join(folder, `${"0".repeat(32)}.1`), "no output of mgr", { mode: 0o600 });
    instance.write({ processes: { printer } });
    await instance.mgr("up", "--detach");
    await eventually("the output of the removed process is gone", () => contentOf(folder).length === 1);
    expect(contentOf(folder).join("")).toContain('"printer"');
    await instance.mgr("down");
    expect(contentOf(folder)).toEqual([]);
  });
});
