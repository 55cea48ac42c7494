import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { Client } from "../support/client.ts";
import { Instance } from "../support/instance.ts";
import { ECHO, sh } from "../support/shell.ts";
import { eventually } from "../support/wait.ts";

/**
 * Numbered lines of 95 digits, in large writes, until something is typed: then it ends by itself. The kernel's sockets hold
 * some 30 MB before anybody waits.
 */
const COUNT = { command: sh("stty -echo; seq -f '%095.0f' 1 inf | cat & read go; kill $!; wait"), terminal: { backlog: "64KiB" } };
const LINE_BYTES = 97;

/** What a reader of `count` has seen: whole lines in order, and what it was told to have missed. */
class Counted {
  last = 0;
  skipped = 0;
  /** Lines that did not follow the one before. */
  readonly torn: string[] = [];
  #rest = "";

  constructor(client: Client) {
    client.ws.on("message", (data) => {
      const frame = JSON.parse(String(data)) as { type: string; name: string; output: string; skipped?: number };
      if (frame.type === "process_output" && frame.name === "count") this.#add(frame.output, frame.skipped ?? 0);
    });
  }

  #add(output: string, skipped: number): void {
    this.skipped += skipped;
    const lines = (this.#rest + output).split("\r\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) {
      if (Number(line) !== this.last + 1) this.torn.push(line.slice(-20));
      this.last = Number(line);
    }
  }
}

/** Offset of the newest byte of `count`, once it stands still for so long, in ms, while the process wants to go on. */
async function standstill(client: Client, stillMs = 1_000): Promise<number> {
  let [before, since] = [-1, 0];
  return eventually("the process is held back", async () => {
    const { offset } = await client.ask({ type: "get_process_output", name: "count", lines: 1 });
    if (offset !== before) [before, since] = [Number(offset), performance.now()];
    await pause(100);
    return before > 0 && performance.now() - since > stillMs ? before : null;
  });
}

describe("set_process_no_skip_display", () => {
  test("slows the process to its slowest reader and skips nothing, also where the ring is small and the manager stands still", async () => {
    await using instance = await Instance.up({ processes: { count: COUNT, other: { command: ECHO, autostart: true } } });
    const [client, reader, fast] = [await instance.connect(), await instance.connect("?single_process=count"), await instance.connect()];
    const [slowly, quickly] = [new Counted(reader), new Counted(fast)];
    await client.command({ type: "set_process_no_skip_display", name: "count", enabled: true });
    await client.command({ type: "subscribe_process_output", patterns: ["other"] });
    await fast.command({ type: "subscribe_process_output", patterns: ["count"] });
    reader.ws.pause();
    await client.command({ type: "start_process", name: "count" });
    const held = await standstill(client);
    expect(await client.process("count")).toMatchObject({ state: "started", no_skip_display: true });
    // Nobody else waits.
    await client.command({ type: "send_stdin", name: "other", text: "quick\n" });
    await client.untilOutput("other", "you typed quick");

    const manager = instance.pidOf("manager") ?? 0;
    while (slowly.last * LINE_BYTES < held + 5_000_000) {
      const goal = slowly.last + 1_000_000 / LINE_BYTES;
      reader.ws.resume();
      await eventually("the slow reader reads on", () => slowly.last > goal);
      reader.ws.pause();
      process.kill(manager, "SIGSTOP");
      await pause(100);
      process.kill(manager, "SIGCONT");
    }
    reader.ws.resume();
    // The flag was told in state stopped, too: only what comes from here on counts.
    const [here, there] = [reader.here, fast.here];
    // Not stop_process: one that is being stopped waits for no reader (docs/decisions/0011).
    await client.command({ type: "send_stdin", name: "count", text: "\n" });
    await reader.untilState("count", "stopped", here);
    await fast.untilState("count", "stopped", there);
    for (const { skipped, torn } of [slowly, quickly]) expect({ skipped, torn }).toEqual({ skipped: 0, torn: [] });
    expect(slowly.last).toBe(quickly.last);
  });

  test("waits 10 s for a reader that reads nothing, which is then closed with 1008, and the process continues", async () => {
    await using instance = await Instance.up({ processes: { count: COUNT } });
    const [client, deaf] = [await instance.connect(), await instance.connect("?single_process=count")];
    await client.command({ type: "set_process_no_skip_display", name: "count", enabled: true });
    deaf.ws.pause();
    await client.command({ type: "start_process", name: "count" });
    // What is late on a busy machine must not count as held back; the hold lasts 10 s.
    const held = await standstill(client, 3_000);
    const offset = async () => Number((await client.ask({ type: "get_process_output", name: "count", lines: 1 })).offset);
    await eventually("it runs on", async () => (await offset()) > held + 100_000);
    deaf.ws.resume();
    expect(await deaf.closed).toEqual({ code: 1008, reason: "too slow: 'count' was held back for 10 s" });
  });
});
