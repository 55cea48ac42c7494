import { createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { connect } from "../../../src/client/node.ts";
import { freePort } from "../../support/free-port.ts";
import { Instance } from "../support/instance.ts";
import { isAlive } from "../support/marked.ts";
import { PageRig } from "../support/page-rig.ts";
import { ECHO } from "../support/shell.ts";
import { eventually } from "../support/wait.ts";

const processes = { echo: { command: ECHO, autostart: true }, late: { command: ECHO }, idle: { command: ECHO } };
/** A manager at a fixed port, as a user has it, that is started again. */
const at = (port: number) => ({ processes, instance: { manager: `localhost:${port}`, restart_manager: true } });

/** Waits until a manager serves that is another one than `killed`. */
const untilBack = (instance: Instance, killed: number) =>
  eventually("another manager serves", async () => {
    const pid = instance.pidOf("manager");
    if (pid === null || pid === killed) return null;
    // Its port opens last.
    const isUp = await instance.fetch("/mgr/version").then(
      () => true,
      () => false,
    );
    return isUp ? pid : null;
  });

test("kill -9 of a manager in the background: page and clients reconnect to the next one, and nothing that was accepted is lost", async () => {
  const port = freePort();
  await using rig = await PageRig.up(at(port), { CARRIED: "along" });
  const { instance } = rig;
  const shown = await rig.open("/?process=echo");
  await shown.untilShown("echo", /hello/);
  const client = await connect(instance.url, { user: instance.user, password: instance.password });
  onTestFinished(() => client.close());
  const connections: string[] = [];
  client.link.state$.subscribe(({ kind }) => void connections.push(kind));
  const { pid } = await rig.client.process("echo");
  const daemon = instance.pidOf("daemon");

  await rig.client.command({ type: "start_process", name: "late" });
  const killed = instance.kill("manager");
  const back = await untilBack(instance, killed);
  await shown.connected();

  const next = await instance.connect();
  await eventually("what was accepted before the end is done", async () => (await next.process("late")).state === "started");
  expect((await next.process("echo")).pid).toBe(pid);
  expect(instance.pidOf("daemon")).toBe(daemon);
  await eventually("the client of a program is connected again", () => connections.at(-1) === "open" && connections.includes("waiting"));
  await shown.page.getByLabel("Terminal of echo").click();
  await shown.page.keyboard.type("again\n");
  await shown.untilShown("echo", /you typed again/);
  const entry = await eventually("the log says what happened", async () => {
    const { entries } = (await next.ask({ type: "request_logs" })) as unknown as { entries: { level: string; msg: string }[] };
    return entries.find(({ msg }) => msg.includes("ended unexpectedly"));
  });
  expect(entry).toMatchObject({ level: "error", msg: expect.stringContaining(`the manager (pid ${killed}) ended unexpectedly at 2`) });

  // The next end is that of a child of the daemon: its signal is known, and the daemon leaves no zombie.
  process.kill(back, "SIGABRT");
  const third = await untilBack(instance, back);
  expect(isAlive(back)).toBe(false);
  const again = await instance.connect();
  await eventually("the log names the signal", async () => {
    const { entries } = (await again.ask({ type: "request_logs" })) as unknown as { entries: { msg: string }[] };
    return entries.some(({ msg }) => msg.includes(`the manager (pid ${back}) ended unexpectedly (SIGABRT)`));
  });
  expect(instance.living().find((each) => each.pid === third)?.command).toContain(instance.config);

  // A user's signal is no accident.
  process.kill(third, "SIGTERM");
  await instance.untilExtinct();
});

test("a process that a user stopped stays so, although it was named at the start of a manager that is started again", async () => {
  await using instance = new Instance(at(freePort()));
  await instance.mgr("up", "--detach", "late");
  const first = await instance.connect();
  await eventually("it runs", async () => (await first.process("late")).state === "started");
  await first.command({ type: "stop_process", name: "late" });
  await first.untilState("late", "stopped");
  await untilBack(instance, instance.kill("manager"));
  const second = await instance.connect();
  await eventually("another process is adopted", async () => (await second.process("echo")).state === "started");
  expect(await second.process("late")).toMatchObject({ state: "stopped", requested_state: "stop" });
  await instance.mgr("down");
  expect(instance.living()).toEqual([]);
});

test("commands say when a manager that cannot start is tried again, and mgr down ends that", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void taken.close());
  await eventually("a port is in use", () => taken.listening);
  const { port } = taken.address() as { port: number };
  await using instance = new Instance(at(freePort()));
  await instance.mgr("up", "--detach");
  instance.write(at(port));
  instance.kill("manager");
  const said = await eventually("a try has failed, and the next one is announced", async () => {
    if (!instance.read("state/daemon.log").includes("the manager could not be started (exit code 1)")) return null;
    const { code, stderr } = await instance.run("ps", "-c", instance.config);
    expect(code).toBe(1);
    return / in \d+ s/.test(stderr) ? stderr : null;
  });
  expect(said).toMatch(
    /the manager of 'e2e' ended unexpectedly at \d\d:\d\d; its daemon starts it again in \d+ s\. 1 process still runs\./,
  );
  expect(instance.read("state/daemon.log")).toContain(`${port}`);
  await instance.mgr("down");
  expect(instance.living()).toEqual([]);
});

test("an error of configuration ends the tries, and the next mgr up is kept again", async () => {
  await using instance = new Instance(at(freePort()));
  await instance.mgr("up", "--detach");
  const right = at(freePort());
  instance.write({ ...right, processes: { ...processes, wrong: { comand: "no such key" } } });
  instance.kill("manager");
  const said = await eventually("the daemon gives up", async () => {
    const { stderr } = await instance.run("ps", "-c", instance.config);
    return stderr.includes("is not started again") ? stderr : null;
  });
  expect(said).toContain("comand");
  instance.write(right);
  await instance.mgr("up", "--detach");
  expect(await instance.run("ps", "-c", instance.config)).toMatchObject({ code: 0 });
  await untilBack(instance, instance.kill("manager"));
  await instance.mgr("down");
  expect(instance.living()).toEqual([]);
});

test("a manager that its daemon started survives the daemon, and a hung one is started again once it is killed", async () => {
  await using instance = new Instance(at(freePort()));
  await instance.mgr("up", "--detach");
  const back = await untilBack(instance, instance.kill("manager"));
  const daemon = instance.kill("daemon");
  await eventually("there is another daemon", () => {
    const pid = instance.pidOf("daemon");
    return pid !== null && pid !== daemon;
  });
  expect(instance.pidOf("manager")).toBe(back);
  const client = await instance.connect();
  await eventually("the host is ready", async () => ((await client.snapshot()).host_list as { daemon_ready: boolean }[])[0]?.daemon_ready);
  instance.kill("manager", "SIGSTOP");
  await untilBack(instance, instance.kill("manager"));
  await instance.mgr("down");
  expect(instance.living()).toEqual([]);
});
