import { expect, test } from "vitest";
import { Engine } from "../../../src/app/engine.ts";
import { memoryIntents } from "../../../src/app/state/intent-keeper.ts";
import { MgrError } from "../../../src/base/errors.ts";
import { loadConfigObject } from "../../../src/config/load/load.ts";
import type { HostLink } from "../../../src/contract/host-link.ts";
import { LogBook } from "../../../src/log/log-book.ts";
import { FakeHost } from "../../../src/testing/fake-host.ts";
import { SimulatedClock } from "../../../src/testing/simulated-clock.ts";
import { BY } from "../support/engines.ts";

/** Time after which every host acts without a manager, milliseconds. */
const ALONE_MS = 30_000;

function configuration(node: string, hosts: readonly string[]) {
  return loadConfigObject(
    {
      hosts: Object.fromEntries(hosts.map((host) => [host, { token_file: host }])),
      processes: { p: { command: "p", node, restart: { policy: "always", delay: "5s" } } },
    },
    { base_dir: "/", state_dir: "/nowhere" },
  );
}

/** A manager of two hosts. The process has been started on the first one; `begun` names the host of each run. */
async function open() {
  const clock = new SimulatedClock();
  const begun: string[] = [];
  /** Requests that no host accepts. */
  const refused = new Set<string>();
  const hosts = { r1: new FakeHost({ clock, host: "r1" }), r2: new FakeHost({ clock, host: "r2" }) };
  for (const host of Object.values(hosts)) {
    host.listen({
      onEvent: ({ kind }) => {
        if (kind === "spawned") begun.push(host.host);
      },
    });
  }
  let config = configuration("r1", ["r1", "r2"]);
  const engine = new Engine({
    config,
    clock,
    log: new LogBook({ capacity: 1_000, now: () => clock.now() }),
    intents: memoryIntents(),
    epoch: 1,
    link: new FakeHost({ clock, host: "bench" }),
    connectHost: (host) => linkTo(hosts[host as keyof typeof hosts], refused),
    loadConfig: async () => config,
    features: [],
  });
  await clock.advance(3_000);
  engine.control.commands.process("start", "p", BY);
  await clock.advance(100);
  expect(begun).toEqual(["r1"]);
  return {
    clock,
    engine,
    begun,
    hosts,
    refuse: (request: string) => refused.add(request),
    async reload(next: typeof config): Promise<void> {
      config = next;
      await engine.control.configuration.reload(BY);
    },
    /** The manager is lost, and each host acts alone. */
    async loseManager(): Promise<void> {
      await engine.close();
      await clock.advance(ALONE_MS);
    },
    async [Symbol.asyncDispose]() {
      await engine.close();
      for (const host of Object.values(hosts)) await host.close();
    },
  };
}

/** A link of which the host lives on when it is closed. */
function linkTo(host: FakeHost, refused: ReadonlySet<string>): HostLink {
  const subscriptions: (() => void)[] = [];
  return {
    host: host.host,
    request: async (name, request) => {
      if (refused.has(name)) throw new MgrError("internal", `${name} is refused`);
      return host.request(name, request);
    },
    window: (windows) => host.window(windows),
    heartbeat: (session) => host.heartbeat(session),
    listen: (listener) => {
      const unsubscribe = host.listen(listener);
      subscriptions.push(unsubscribe);
      return unsubscribe;
    },
    close: async () => {
      for (const unsubscribe of subscriptions) unsubscribe();
    },
  };
}

test("a process that moved because its host was removed is not started there again when the manager is lost", async () => {
  await using rig = await open();
  await rig.reload(configuration("r2", ["r2"]));
  await rig.clock.advance(1_000);
  expect(rig.begun).toEqual(["r1", "r2"]);
  expect(rig.engine.control.state.hosts().map(({ name }) => name)).toEqual(["bench", "r2"]);
  await rig.loseManager();
  expect(rig.begun).toEqual(["r1", "r2"]);
});

test("a process that waits for its restart on a host that is removed is not started there when the manager is lost", async () => {
  await using rig = await open();
  rig.hosts.r1.process("p").exit(1);
  await rig.clock.advance(1_000);
  await rig.reload(configuration("r2", ["r2"]));
  await rig.clock.advance(1_000);
  expect(rig.engine.control.state.hosts().map(({ name }) => name)).toEqual(["bench", "r2"]);
  await rig.clock.advance(10_000);
  expect(rig.begun).toEqual(["r1", "r2"]);
  await rig.loseManager();
  expect(rig.begun).toEqual(["r1", "r2"]);
});

test("a process that moves is not started again on its old host when the manager is lost while it is stopped there", async () => {
  await using rig = await open();
  rig.hosts.r1.process("p").ignore("SIGTERM");
  await rig.reload(configuration("r2", ["r2"]));
  await rig.clock.advance(1_000);
  await rig.loseManager();
  expect(rig.hosts.r1.process("p").ended.aborted).toBe(true);
  expect(rig.begun).toEqual(["r1"]);
});

test("a host that does not accept what it must know is removed nevertheless", async () => {
  await using rig = await open();
  rig.refuse("supervise");
  await rig.reload(configuration("r2", ["r2"]));
  await rig.clock.advance(10_000);
  expect(rig.engine.control.state.hosts().map(({ name }) => name)).toEqual(["bench", "r2"]);
});
