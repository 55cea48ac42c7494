import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Mode } from "../../../src/features/modes/wire.ts";
import { type Bench, type BenchOptions, createBench } from "../../../src/testing/index.ts";

const RUNS: NonNullable<BenchOptions["programs"]> = {
  "*": async (process) => {
    await process.sleep(3_600_000);
    return 0;
  },
};

/** The process `brake` takes 5 s to stop. */
const SLOW: NonNullable<BenchOptions["programs"]> = {
  brake: async (process) => {
    await new Promise<void>((resolve) => process.on("SIGTERM", resolve));
    await process.sleep(5_000);
    return 0;
  },
  ...RUNS,
};

const CONFIG = {
  processes: {
    db: { command: "x" },
    "sim/world": { command: "x", depends_on: ["db"], tags: ["sim"] },
    "sim/viewer": { command: "x", depends_on: ["sim/world"], tags: ["sim"] },
    drive: { command: "x", essential: true, restart: { policy: "never" } },
    brake: { command: "x" },
    other: { command: "x" },
  },
  modes: {
    run: { start: ["sim", "drive"], stop: ["brake"], fallback: "safe" },
    safe: { start: ["brake"], stop: ["*"], fallback: "halt" },
    halt: { stop: ["tag:sim", "drive", "brake"] },
  },
} as const;

interface Rig {
  readonly bench: Bench;
  readonly log: string[];
  readonly transitions: string[];
  readonly modes: () => readonly Mode[];
  /** Switches, and waits until the switch is over. */
  switchTo(name: string): Promise<Mode>;
  settled(name: string): Promise<Mode>;
}

async function rig(options: Partial<BenchOptions> = {}, config: Parameters<typeof createBench>[0] = CONFIG): Promise<Rig> {
  const log: string[] = [];
  const bench = await createBench(config, { programs: RUNS, onLog: ({ msg }) => log.push(msg), ...options });
  onTestFinished(() => bench.close());
  let modes: readonly Mode[] = (await bench.manager.snapshot()).modes;
  const transitions: string[] = [];
  const states = new Map<string, string>();
  bench.manager.frames$.subscribe((frame) => {
    if (frame.type === "modes_update") modes = frame.modes;
    if (frame.type !== "process_upsert" || states.get(frame.process.name) === frame.process.state) return;
    states.set(frame.process.name, frame.process.state);
    transitions.push(`${frame.process.name} ${frame.process.state}`);
  });
  const active = (name: string) => modes.find((mode) => mode.name === name && mode.active !== null && mode.active.step === null);
  const settled = async (name: string) => {
    for (let step = 0; step < 200 && active(name) === undefined; step++) await bench.advance(100);
    const found = active(name);
    if (found === undefined) throw new Error(`mode '${name}' is not active: ${JSON.stringify(modes)}`);
    return found;
  };
  const switchTo = async (name: string) => {
    await bench.manager.request({ type: "switch_mode", name });
    return settled(name);
  };
  return { bench, log, transitions, modes: () => modes, switchTo, settled };
}

const running = async ({ bench }: Rig) =>
  (await bench.manager.snapshot()).processes.filter(({ state }) => state === "started").map(({ name }) => name);

test("a switch starts what the mode names with what it needs, stops what it names, and leaves the rest alone", async () => {
  const at = await rig();
  await at.bench.until(at.bench.manager.process("brake").start());
  await at.bench.until(at.bench.manager.process("other").start());
  expect(await at.bench.manager.request({ type: "plan_mode", name: "run" })).toMatchObject({
    type: "mode_plan",
    stops: ["brake"],
    starts: ["db", "drive", "sim/world", "sim/viewer"],
    confirm: [],
  });
  at.transitions.length = 0;
  expect((await at.switchTo("run")).active).toMatchObject({ step: null, failed: null, problems: [] });
  expect(await running(at)).toEqual(["db", "sim/world", "sim/viewer", "drive", "other"]);
  const order = at.transitions.filter((each) => / (stopped|starting)$/.test(each));
  expect(order[0]).toBe("brake stopped");
  expect(order.indexOf("db starting")).toBeLessThan(order.indexOf("sim/world starting"));
  expect(await at.bench.manager.request({ type: "plan_mode", name: "run" })).toMatchObject({ stops: [], starts: [] });
});

test("a switch stops in reverse order of dependencies, does not stop what the mode starts or needs, and names essential processes", async () => {
  const at = await rig();
  await at.switchTo("run");
  expect(await at.bench.manager.request({ type: "plan_mode", name: "safe" })).toMatchObject({
    stops: expect.arrayContaining(["sim/viewer", "sim/world", "db", "drive"]),
    starts: ["brake"],
    confirm: ["drive"],
  });
  at.transitions.length = 0;
  await at.switchTo("safe");
  expect(await running(at)).toEqual(["brake"]);
  const stopped = at.transitions.filter((each) => each.endsWith(" stopped"));
  expect(stopped.indexOf("sim/viewer stopped")).toBeLessThan(stopped.indexOf("sim/world stopped"));
  expect(stopped.indexOf("sim/world stopped")).toBeLessThan(stopped.indexOf("db stopped"));
});

test("when an essential process fails, the manager switches to the fallback once, and says why", async () => {
  const fails: BenchOptions["programs"] = {
    drive: async (process) => {
      await process.sleep(5_000);
      return 3;
    },
    ...RUNS,
  };
  const at = await rig({ programs: fails });
  await at.switchTo("run");
  const safe = await at.settled("safe");
  expect(safe.active).toMatchObject({ by: "mode run", failed: "drive", problems: [] });
  expect(await running(at)).toEqual(["brake"]);
  expect(at.log.filter((msg) => msg.includes("switches to mode 'safe'"))).toEqual([
    "essential process 'drive' of mode 'run' has failed: the manager switches to mode 'safe'",
    "'mode run' switches to mode 'safe': stops 'sim/viewer', 'sim/world', 'db'; starts 'brake'",
  ]);
  await at.bench.advance(60_000);
  expect(at.modes().find(({ active }) => active !== null)?.name).toBe("safe");
});

test("a newer switch takes the place of one that waits for a process to stop", async () => {
  const at = await rig({ programs: SLOW });
  await at.bench.until(at.bench.manager.process("brake").start());
  await at.bench.manager.request({ type: "switch_mode", name: "run" });
  await at.bench.manager.request({ type: "switch_mode", name: "halt" });
  await at.settled("halt");
  expect(at.log).toContain("the switch to mode 'run' was given up for 'halt'");
  await at.bench.advance(60_000);
  expect(await running(at)).toEqual([]);
  expect(at.modes().find(({ active }) => active !== null)?.name).toBe("halt");
});

test("the active mode, and a switch that was under way, go on after a restart of the manager", async () => {
  const stateDir = mkdtempSync(join(tmpdir(), "mgr-modes-"));
  onTestFinished(() => rmSync(stateDir, { recursive: true, force: true }));
  const first = await rig({ stateDir, programs: SLOW });
  await first.bench.until(first.bench.manager.process("brake").start());
  await first.bench.manager.request({ type: "switch_mode", name: "run" });
  await first.bench.clock.settle();
  expect(first.modes()[0]?.active).toMatchObject({ step: "stopping" });
  expect(await running(first)).toEqual([]);
  await first.bench.close();
  const second = await rig({ stateDir });
  const run = await second.settled("run");
  expect(run.active?.problems).toEqual([]);
  expect(await running(second)).toEqual(["db", "sim/world", "sim/viewer", "drive"]);
  await second.bench.close();
  const third = await rig({ stateDir });
  expect(third.modes().find(({ active }) => active !== null)?.active).toEqual(run.active);
});

test("an unknown mode is refused with the modes that there are; a mode that a reload removes is not active any more", async () => {
  const at = await rig();
  await expect(at.bench.manager.request({ type: "switch_mode", name: "rum" })).rejects.toThrow(
    "there is no mode 'rum'; did you mean 'run'?",
  );
  await at.switchTo("halt");
  const { modes: _modes, ...without } = CONFIG;
  await at.bench.manager.reload(without);
  await at.bench.clock.settle();
  expect(at.modes()).toEqual([]);
  await at.bench.manager.reload(CONFIG);
  await at.bench.clock.settle();
  expect(at.modes().map(({ name, active }) => [name, active])).toEqual([
    ["run", null],
    ["safe", null],
    ["halt", null],
  ]);
});

test("a parameter that no program has is a problem of the switch", async () => {
  const at = await rig({}, { processes: { db: { command: "x" } }, modes: { fast: { start: ["db"], parameters: { rate: 100 } } } });
  expect((await at.switchTo("fast")).active?.problems).toEqual(["parameter 'rate' was not set: no program has it"]);
});

test("a mode says which preset it could not load, and is active with its own parameters", async () => {
  const folder = mkdtempSync(join(tmpdir(), "mgr-mode-presets-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "good.yaml"), "parameters: {arm: {gain: 2, limit: 3}}\n");
  const at = await rig(
    {},
    {
      instance: { presets_dir: folder },
      processes: { db: { command: "x" } },
      modes: { good: { preset: "good", parameters: { gain: 5 } }, gone: { start: ["db"], preset: "gone" } },
    },
  );
  const { parameters } = await at.bench.manager.request({ type: "plan_mode", name: "good" });
  expect(parameters).toEqual([
    { name: "arm:limit", value: "3" },
    { name: "gain", value: "5" },
  ]);
  const missing = `there is no preset 'gone' in ${folder}; 'mgr preset list' lists all`;
  expect(at.log).toContain(`mode 'gone' cannot load its preset: ${missing}`);
  expect((await at.switchTo("gone")).active?.problems).toEqual([`preset 'gone' was not loaded: ${missing}`]);
});
