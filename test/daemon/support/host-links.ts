import { busHostLink, serveHost } from "../../../src/bus/host-link/host-link.ts";
import { Host } from "../../../src/daemon/host.ts";
import { BusRig } from "../../bus/bus-rig.ts";
import { ShiftedClock } from "../../support/fakes/shifted-clock.ts";
import type { OpenLink } from "../../support/suites/host-link-suite.ts";

function openHost(): { host: Host; clock: ShiftedClock } {
  const clock = new ShiftedClock();
  return { host: new Host({ host: "bench.lab", clock, subreaper: false, log: () => {} }), clock };
}

async function openDirect(): Promise<OpenLink> {
  const { host, clock } = openHost();
  return {
    link: host,
    pass: async (milliseconds) => clock.pass(milliseconds),
    settle: () => new Promise((resolve) => setImmediate(resolve)),
    [Symbol.asyncDispose]: () => host.close(),
  };
}

async function openOverBus(): Promise<OpenLink> {
  const { host, clock } = openHost();
  const rig = await BusRig.start();
  const [manager, control, bulk] = await Promise.all([rig.memoryBus("manager"), rig.bus("daemon control"), rig.bus("daemon bulk")]);
  // The suite starts forty processes at once, on any machine.
  const link = busHostLink(manager, host.host, { timeoutMs: 60_000 });
  await manager.flush();
  const served = serveHost({ control, bulk, host });
  await control.flush();
  const settle = async () => {
    for (const bus of [manager, control, bulk, manager]) await bus.flush();
  };
  return {
    link,
    pass: async (milliseconds) => {
      clock.pass(milliseconds);
      await settle();
    },
    settle,
    [Symbol.asyncDispose]: async () => {
      served.close();
      await link.close();
      await host.close();
      await rig[Symbol.asyncDispose]();
    },
  };
}

/** Links to a real host, each opened by a function. */
export const HOST_LINKS = [
  ["direct", openDirect],
  ["over the bus", openOverBus],
] as const;
