import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { soak } from "../../support/soak.ts";
import { Instance } from "../support/instance.ts";
import { isAlive } from "../support/marked.ts";
import { ECHO } from "../support/shell.ts";
import { eventually } from "../support/wait.ts";

const NAMES = Array.from({ length: 20 }, (_, i) => `count/${i}`);
/** How long a daemon stands still, milliseconds; the whole minute with MGR_SOAK=1. */
const STANDSTILL_MS = soak(12_000, 60_000);

/** Numbered lines, without a process for each pause. */
const counting = (seconds: number) => ({
  command: ["perl", "-e", `$| = 1; while (1) { print "n", ++$i, "\\n"; select(undef, undef, undef, ${seconds}) }`],
  autostart: true,
});
/** Numbers in `text`, which has to begin and end with a whole line. */
const numbers = (text: string) => [...text.matchAll(/n(\d+)\r\n/g)].map(([, number]) => Number(number));

test("twenty processes that count while the manager is killed again and again: no number is missing after adoption", async () => {
  await using instance = new Instance({
    processes: Object.fromEntries(NAMES.map((name) => [name, counting(0.005)])),
  });
  await instance.mgr("up", "--detach");
  const heard = new Map(NAMES.map((name) => [name, { text: "", offset: 0 }]));
  for (let life = 0; life < 3; life++) {
    const client = await instance.connect();
    await client.command({ type: "subscribe_process_output", patterns: ["count/*"] });
    for (const name of NAMES) {
      await client.untilOutput(name, /n\d+\r\n/);
      // Backlog and live output are joined by their offsets, as docs/protocol.md says.
      const { output, offset, truncated } = await client.ask({ type: "get_process_output", name, lines: 100_000 });
      expect(truncated).toBe(false);
      const so = heard.get(name) ?? { text: "", offset: 0 };
      expect(String(output).startsWith(so.text), `'${name}' has what was seen of it before`).toBe(true);
      heard.set(name, { text: String(output), offset: Number(offset) });
    }
    const killed = instance.kill("manager");
    await client.closed;
    await eventually("the manager is dead", () => !isAlive(killed));
    for (const name of NAMES) {
      const so = heard.get(name) ?? { text: "", offset: 0 };
      for (const frame of client.frames) {
        if (frame.type !== "process_output" || frame.name !== name || Number(frame.offset) <= so.offset) continue;
        expect(frame.skipped).toBeUndefined();
        so.text += String(frame.output).slice(-(Number(frame.offset) - so.offset));
        so.offset = Number(frame.offset);
      }
      heard.set(name, so);
    }
    await instance.mgr("up", "--detach");
  }
  const client = await instance.connect();
  for (const name of NAMES) {
    const { output } = await client.ask({ type: "get_process_output", name, lines: 100_000 });
    expect(String(output).startsWith(heard.get(name)?.text ?? "")).toBe(true);
    const counted = numbers(String(output));
    expect(counted.length).toBeGreaterThan(10);
    expect(counted, name).toEqual(counted.map((_, i) => i + 1));
  }
});

test("a daemon that hangs is reported, commands are refused, output continues without a gap, and nothing is replayed late", async () => {
  await using instance = await Instance.up({
    processes: {
      counts: counting(0.01),
      typed: { command: ECHO, autostart: true },
      idle: { command: ECHO },
    },
  });
  const client = await instance.connect();
  await client.command({ type: "subscribe_process_output", patterns: ["*"] });
  await eventually(
    "they run",
    async () => (await client.process("typed")).state === "started" && (await client.process("counts")).state === "started",
  );
  await client.untilOutput("counts", /n\d+\r\n/);
  const before = { counts: await client.process("counts"), typed: await client.process("typed") };

  const daemon = instance.kill("daemon", "SIGSTOP");
  const stopped = performance.now();
  const start = client.here;
  // In the moments before anybody has noticed, commands are sent to it and lie in its socket.
  const early = [
    client.ask({ type: "send_stdin", name: "typed", text: "early\n" }),
    client.ask({ type: "send_signal", name: "typed", signal: "SIGKILL" }),
    client.ask({ type: "get_process_output", name: "typed" }),
  ];
  await client.until(
    "daemon_ready is false",
    ({ type, host }) => type === "host_upsert" && !(host as { daemon_ready: boolean }).daemon_ready,
    start,
  );
  const unavailable = { code: "host_unavailable" };
  for (const answer of await Promise.all(early)) expect(["host_unavailable", "timeout"]).toContain(answer.code);
  for (const frame of [
    { type: "start_process", name: "idle" },
    { type: "stop_process", name: "typed" },
    { type: "restart_group", name: "typed" },
    { type: "send_stdin", name: "typed", text: "late\n" },
    { type: "send_signal", name: "typed", signal: "SIGTERM" },
    { type: "get_process_output", name: "counts" },
  ]) {
    const answer = await client.ask(frame);
    if (frame.type === "restart_group") expect(answer).toMatchObject({ code: "not_found" });
    else expect(answer, frame.type).toMatchObject(unavailable);
  }
  expect(await client.snapshot()).toMatchObject({ type: "snapshot" });
  await pause(Math.max(0, STANDSTILL_MS - (performance.now() - stopped)));
  const back = client.here;
  process.kill(daemon, "SIGCONT");
  await client.until("it is back", ({ type, host }) => type === "host_upsert" && (host as { daemon_ready: boolean }).daemon_ready, back);
  await client.untilOutput("counts", /n\d+\r\n/, client.here);
  // Whatever was replayed would have come before this.
  await client.command({ type: "send_stdin", name: "typed", text: "now\n" });
  await client.untilOutput("typed", "you typed now", back);
  expect(client.output("typed", start)).not.toMatch(/early|late/);
  for (const name of ["counts", "typed"] as const)
    expect(await client.process(name)).toMatchObject({
      state: "started",
      pid: before[name].pid,
      start_time: before[name].start_time,
      host_ready: true,
    });
  expect((await client.process("idle")).state).toBe("stopped");
  // Live output and the backlog have every number.
  const live = numbers(client.output("counts").slice(client.output("counts").indexOf("n")));
  expect(live).toEqual(live.map((_, i) => (live[0] ?? 0) + i));
  const backlog = numbers(String((await client.ask({ type: "get_process_output", name: "counts", lines: 100_000 })).output));
  expect(backlog).toEqual(backlog.map((_, i) => i + 1));
});
