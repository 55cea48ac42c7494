// What a program outside of this repository does with the package: compiled and run by package.test.ts.
import { type ConfigInput, createManager, type EmbeddedManager, isUp, MgrError, type Process } from "mgr";
import { connect, type ManagerClient, type ManagerFrame } from "mgr/client";
import { createBench, type FakePrograms, Recorder } from "mgr/testing";

const config: ConfigInput = {
  processes: {
    "g/db": { command: "echo listening; exec sleep 1000", ready: { regex: "listening" } },
    "g/api": { command: ["sleep", "1000"], depends_on: { "g/db": { condition: "ready" } } },
    bad: { command: "echo last words; exit 3", autostart: true },
  },
};

async function embedded(): Promise<string[]> {
  await using manager: EmbeddedManager = await createManager(config, { listen: true });
  using recorder = new Recorder(manager);
  const types: ManagerFrame["type"][] = [];
  manager.events$.subscribe((frame) => types.push(frame.type));
  const members: Process[] = await manager.group("g").start();
  await manager.process("g/db").waitForOutput(/listen(ing)/);
  const { port } = manager;
  if (!port?.login) throw new Error("no port");
  const remote: ManagerClient = await connect(port.url, port.login);
  const { processes } = await remote.snapshot();
  const backlog = await remote.request({ type: "get_process_output", name: "g/db", lines: 1 });
  const output: string = backlog.output;
  await remote.process("bad").waitFor("error");
  remote.close();
  const page = await fetch(port.url, { headers: { authorization: `Basic ${btoa(`${port.login.user}:${port.login.password}`)}` } });
  const actor = manager.actor("process", "g/api").getSnapshot();
  return [
    `${members.every(isUp)} ${processes.length} ${output.trim()} ${types.includes("process_upsert")}`,
    `${page.status} ${(await page.text()).includes("<title>")} ${actor.context.definition.name}`,
    ...recorder.lines.filter((line) => line.startsWith("g/")).slice(0, 2),
  ];
}

/** Never called: what the types have to refuse. */
export function mistakes(manager: EmbeddedManager): void {
  // @ts-expect-error there is no such state
  void manager.process("g/db").waitFor("running");
  // @ts-expect-error there is no such frame
  manager.send({ type: "start_proces", name: "g/db" });
  // @ts-expect-error the answer has no such field
  void manager.request({ type: "get_process_output", name: "g/db" }).then((answer) => answer.lines);
}

async function simulated(): Promise<string[]> {
  const programs: FakePrograms = { "g/*": async (process) => process.sleep(1_000).then(() => process.print("listening\n")) };
  await using bench = await createBench(config, { programs });
  await bench.until(bench.manager.group("g").start());
  const refused = await bench.manager.request({ type: "stop_process", name: "none" }).catch((error: unknown) => error);
  return [bench.recorder.text().split("\n").at(-1) ?? "", refused instanceof MgrError ? refused.code : "not refused"];
}

for (const line of [...(await embedded()), ...(await simulated())]) console.log(line);
