import { expect, it } from "vitest";
import { Conditions } from "../../../../src/app/conditions.ts";
import { type FlightSettings, flightConfig } from "../../../../src/features/flight/config.ts";
import { NetworkTriggers } from "../../../../src/features/flight/manager/network-triggers.ts";
import { SimulatedClock } from "../../../../src/testing/simulated-clock.ts";

const LINK = { triggers: { link: { on: "network", quiet: "1m" } } };

/** Triggers on a scripted clock; `log` has what they do. */
function rigOf(flight: unknown) {
  const clock = new SimulatedClock();
  const conditions = new Conditions((error) => {
    throw error;
  });
  const log: string[] = [];
  const config: { settings: FlightSettings | null } = { settings: flightConfig.file.flight.parse(flight) };
  let incidents = 0;
  let sources = 0;
  conditions.addSource(() => {
    sources++;
    return () => sources--;
  });
  const triggers = new NetworkTriggers({
    clock,
    conditions,
    settings: () => config.settings,
    flight: {
      fire: (trigger, text) => {
        log.push(`fire ${trigger}: ${text}`);
        return `incident-${++incidents}`;
      },
      firedAgain: (incident, trigger) => log.push(`again ${incident} ${trigger}`),
      note: (kind, value) => log.push(`note ${kind} ${JSON.stringify(value)}`),
    },
  });
  const problem = { kind: "network_problem", process: null, host: "arm" };
  const raise = (text: string) => conditions.raise({ ...problem, text });
  const recover = () => conditions.clear(problem, "recovered");
  const fired = () => log.filter((line) => !line.startsWith("note"));
  return { clock, conditions, config, log, triggers, raise, recover, fired, sources: () => sources };
}

it("a problem of the network begins an incident, and is noted as it comes and goes", () => {
  const rig = rigOf(LINK);
  rig.raise("host arm loses 20 % of its packets");
  rig.recover();
  expect(rig.log).toEqual([
    'note network {"kind":"raised","problem":"network_problem","host":"arm","text":"host arm loses 20 % of its packets"}',
    "fire link: host arm loses 20 % of its packets",
    'note network {"kind":"cleared","problem":"network_problem","host":"arm","text":"host arm loses 20 % of its packets"}',
  ]);
});

it("problems of other kinds begin nothing", () => {
  const rig = rigOf(LINK);
  rig.conditions.raise({ kind: "output_silent", process: "arm", host: null, text: "arm is silent" });
  expect(rig.log).toEqual([]);
});

it("a problem that comes back within the quiet time is counted in its incident", async () => {
  const rig = rigOf(LINK);
  rig.raise("a");
  rig.recover();
  await rig.clock.advance(59_000);
  rig.raise("a");
  rig.recover();
  await rig.clock.advance(2_000);
  rig.raise("a");
  expect(rig.fired()).toEqual(["fire link: a", "again incident-1 link", "fire link: a"]);
});

it("a problem that comes and goes all the time begins at most 20 incidents an hour", async () => {
  const rig = rigOf(LINK);
  for (let minute = 0; minute < 120; minute++) {
    rig.raise("a");
    rig.recover();
    await rig.clock.advance(60_000);
  }
  const begun = rig.fired().filter((line) => line.startsWith("fire"));
  expect(begun).toHaveLength(40);
  expect(rig.fired()).toHaveLength(120);
});

it("conditions are measured only while there is a trigger for the network", () => {
  const rig = rigOf({});
  expect(rig.sources()).toBe(0);
  rig.config.settings = flightConfig.file.flight.parse(LINK);
  rig.triggers.reconfigure();
  rig.triggers.reconfigure();
  expect(rig.sources()).toBe(1);
  rig.config.settings = null;
  rig.triggers.reconfigure();
  expect(rig.sources()).toBe(0);
  rig.raise("a");
  expect(rig.log).toEqual([]);
});
