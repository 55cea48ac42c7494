import { describe, expect, test } from "vitest";
import { seededRandom } from "../../support/random.ts";
import type { Client } from "../support/client.ts";
import { type Configuration, Instance } from "../support/instance.ts";
import { ECHO, IGNORES_TERM, sh } from "../support/shell.ts";
import { eventually } from "../support/wait.ts";

/** `stubborn` keeps the shutdown going until somebody hastens it. */
const lingering: Configuration = {
  processes: {
    stubborn: { command: IGNORES_TERM, stop: { timeout: "10m" }, autostart: true },
    "comes back": { command: ECHO, restart: { policy: "always", delay: "10ms" }, autostart: true },
    "g/idle": { command: ECHO },
  },
};

async function running(instance: Instance): Promise<Client> {
  const client = await instance.connect();
  await client.command({ type: "subscribe_process_output", patterns: ["*"] });
  await eventually("it ignores SIGTERM", async () =>
    String((await client.ask({ type: "get_process_output", name: "stubborn" })).output).includes("trapped"),
  );
  await eventually("the other runs", async () => (await client.process("comes back")).state === "started");
  return client;
}

const REFUSED = [
  { type: "start_process", name: "g/idle" },
  { type: "restart_process", name: "stubborn" },
  { type: "stop_process", name: "stubborn" },
  { type: "start_group", name: "g" },
  { type: "restart_group", name: "g" },
  { type: "send_signal", name: "stubborn", signal: "SIGHUP" },
  { type: "send_stdin", name: "stubborn", text: "x" },
  { type: "set_process_attribute", name: "g/idle", attribute: "svc_debug", value: true },
  { type: "reload_config" },
];

describe("while the manager is shutting down", () => {
  test("commands and reloads are refused, nothing starts, viewers may connect, and a second signal speeds up the end", async () => {
    await using instance = await Instance.up(lingering);
    const client = await running(instance);
    const start = client.here;
    instance.foreground.child.kill("SIGTERM");
    await client.untilState("stubborn", "stopping", start);
    await client.untilState("comes back", "stopped", start);

    for (const frame of REFUSED) expect(await client.ask(frame), frame.type).toMatchObject({ code: "shutting_down" });
    const late = await instance.run("start", "g/idle", "-c", instance.config);
    expect(late).toMatchObject({ code: 1, stderr: expect.stringContaining("shutting down") });
    expect((await instance.fetch("/mgr/logout", { method: "POST" })).status).toBe(503);
    expect((await instance.fetch("/mgr/health")).status).toBe(503);

    const viewer = await instance.connect();
    expect((await viewer.process("stubborn")).state).toBe("stopping");
    // On a machine that is busy the host may be slow to answer: only a refusal for good would be wrong.
    await eventually(
      "its output is shown",
      async () => (await viewer.ask({ type: "get_process_output", name: "stubborn" })).type === "process_output_snapshot",
    );
    expect(await (await instance.fetch("/mgr/log")).text()).toContain("process 'stubborn' changes state from 'started' to 'stopping'");

    instance.foreground.child.kill("SIGTERM");
    expect((await instance.foreground.ended).code).toBe(0);
    expect(client.states("g/idle", start)).not.toContain("starting");
    expect(client.states("comes back", start)).toEqual(["stopping", "stopped"]);
    await instance.untilExtinct();
  });

  test("a second mgr down speeds up the first", async () => {
    await using instance = new Instance(lingering);
    await instance.mgr("up", "--detach");
    const client = await running(instance);
    const first = instance.start("down", "-c", instance.config);
    await client.untilState("stubborn", "stopping");
    expect(await instance.run("down", "-c", instance.config)).toMatchObject({ code: 0 });
    expect((await first.ended).code).toBe(0);
    await instance.untilExtinct();
  });

  test("a daemon that hangs does not delay the manager: a second signal ends both", async () => {
    await using instance = await Instance.up(lingering);
    await running(instance);
    instance.kill("daemon", "SIGSTOP");
    instance.foreground.child.kill("SIGTERM");
    await eventually("it has begun", async () => (await instance.fetch("/mgr/health").catch(() => null))?.status !== 200);
    instance.foreground.child.kill("SIGTERM");
    await instance.foreground.ended;
    await instance.untilExtinct();
  });
});

test("commands at random moments of the shutdown: each is done or refused, nothing is left, and the manager ends", async () => {
  const next = seededRandom();
  const random = (below: number) => Math.floor(next() * below);
  const slow = sh("trap 'sleep 0.3; exit 0' TERM; echo up; while :; do sleep 0.05; done");
  const names = Array.from({ length: 6 }, (_, index) => `g/p${index}`);
  const commands = [
    ...names.flatMap((name) => ["start_process", "stop_process", "restart_process"].map((type) => ({ type, name }))),
    ...["start_group", "restart_group"].map((type) => ({ type, name: "g" })),
    { type: "reload_config" },
  ];
  for (let round = 0; round < 2; round++) {
    await using instance = await Instance.up({
      processes: Object.fromEntries(
        names.map((name, index) => [
          name,
          {
            command: index % 2 === 0 ? slow : sh("sleep 0.1"),
            autostart: index < 4,
            restart: { policy: index === 1 ? "always" : "never", delay: "10ms", max_restarts: 0 },
            depends_on: index === 5 ? ["g/p4"] : [],
          },
        ]),
      ),
    });
    const client = await instance.connect();
    const answers: Promise<unknown>[] = [];
    let hasEnded = false;
    void client.closed.then(() => {
      hasEnded = true;
    });
    const signalAt = 10 + random(40);
    for (let sent = 0; !hasEnded && sent < 5_000; sent++) {
      if (sent === signalAt) instance.foreground.child.kill("SIGTERM");
      answers.push(client.ask(commands[random(commands.length)] ?? {}).catch(() => null));
      // As often as the manager answers, and at moments of its own.
      await Promise.race([answers.at(-1), new Promise((resolve) => setTimeout(resolve, random(20)))]);
    }
    const { code, stderr } = await instance.foreground.ended;
    expect(code, `round ${round}: ${stderr}`).toBe(0);
    expect(instance.living(), `round ${round}`).toEqual([]);
    for (const answer of await Promise.all(answers)) {
      const refusal = answer as { type: string; ok?: boolean; code?: string } | null;
      if (refusal?.code !== undefined) expect(["shutting_down", "busy"], JSON.stringify(refusal)).toContain(refusal.code);
    }
  }
});
