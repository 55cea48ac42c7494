import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { LANGUAGES } from "../../features/data-plane/client-libraries/languages.ts";
import { Program } from "../../features/data-plane/client-libraries/program.ts";
import { bundled } from "../../support/bundled.ts";
import { Fleet } from "../support/fleet.ts";
import { eventually } from "../support/wait.ts";
import { addressesOf } from "./rig.ts";

const EXAMPLE = fileURLToPath(new URL("../../../examples/clients/thermometer.js", import.meta.url));
/** Messages of each publisher a second, if the machine can. */
const HERTZ = 1_000;
/**
 * So far publishers may be ahead of the subscribers of their host, however slow the machine is: a subscriber with more to read takes its broker
 * for dead, because the answer to its ping waits behind that.
 */
const AHEAD = 1_000;
/** From one look at what the subscribers have heard to the next, milliseconds. */
const CHECK_INTERVAL_MS = 100;
const SUBSCRIBERS = { here: 5, far: 4 };
/** With a plain NATS client on the other host. */
export const ALL_SUBSCRIBERS = 10;
/** Of a thermometer with its parameters and service, run by the manager. */
const THERMOMETER = { command: [process.execPath, EXAMPLE], autostart: true, ready: { regex: "publishing" } };

/** The manager's machine, and the other one. */
export type Place = "here" | "far";
const MACHINES = { here: "manager", far: "far" } as const;
export const PLACES = ["here", "far"] as const;

export interface Publisher {
  readonly name: string;
  readonly language: string;
  readonly isComplete: boolean;
  readonly place: Place;
  readonly program: Program;
  /** Once nothing is published any more. */
  sent: number;
}

interface Heard {
  readonly first: number;
  readonly last: number;
  readonly count: number;
  readonly gaps: readonly string[];
}

/** Two hosts with publishers in three languages that publish at 1 kHz each, and ten subscribers. */
export class Plant implements AsyncDisposable {
  readonly fleet: Fleet;
  readonly publishers: Publisher[] = [];
  readonly #viewers = new Map<Place, Program>();
  readonly #urls = new Map<Place, URL>();
  readonly #folder = mkdtempSync(join(tmpdir(), "mgr-plant-"));
  #flow: Promise<void> | null = null;
  #isFlowing = false;

  private constructor(fleet: Fleet) {
    this.fleet = fleet;
  }

  static async start(hub: "the manager" | "nats-server"): Promise<Plant> {
    const isNats = hub === "nats-server";
    const fleet = await Fleet.up({ hosts: ["far"], nats: isNats, leafnodes: isNats, processes: { "plant/thermometer": THERMOMETER } });
    const plant = new Plant(fleet);
    try {
      await plant.#begin();
      return plant;
    } catch (error) {
      await plant[Symbol.asyncDispose]();
      throw error;
    }
  }

  get topics(): string[] {
    return this.publishers.map(({ name }) => name);
  }

  publisher(name: string): Publisher {
    const found = this.publishers.find((each) => each.name === name);
    if (!found) throw new Error(`there is no publisher '${name}'`);
    return found;
  }

  viewers(place: Place): Program {
    const found = this.#viewers.get(place);
    if (!found) throw new Error(`there are no viewers at '${place}'`);
    return found;
  }

  /** Names of its subscribers. */
  viewerNames(place: Place): string[] {
    return Array.from({ length: SUBSCRIBERS[place] }, (_, n) => `viewer/${place}/${n}`);
  }

  /** The port of its bus. */
  portOf(place: Place): number {
    return Number(this.#urls.get(place)?.port);
  }

  /** Local ends of the connections of all programs: one that has connected again has another one. */
  connections(): string[] {
    const at = (place: Place, program: Program) => {
      const { exitCode, signalCode } = program.child;
      if (exitCode !== null || signalCode !== null) return [];
      return addressesOf(pidOf(program).outside, this.portOf(place)).map((each) => `${place} ${each}`);
    };
    const viewers = [...this.#viewers].flatMap(([place, program]) => at(place, program));
    return [...viewers, ...this.publishers.flatMap(({ place, program }) => at(place, program))].sort();
  }

  /** The publishers publish until `stop`. */
  flow(): void {
    this.#isFlowing = true;
    this.#flow = this.#keepFlowing();
  }

  /** Rejects if the flow failed. */
  async stop(): Promise<void> {
    this.#isFlowing = false;
    await this.#flow;
    this.#flow = null;
    for (const publisher of this.publishers) publisher.sent = await allow(publisher, 0);
  }

  /** What each viewer of a host has received of each topic. */
  async heard(place: Place): Promise<Record<string, Record<string, Heard>>> {
    return (await this.viewers(place).do("heard")) as Record<string, Record<string, Heard>>;
  }

  /** Resolves once each of these viewers has received something that was published after this call. */
  async untilHeard(isMeant: (publisher: Publisher, place: Place) => boolean): Promise<void> {
    for (const publisher of this.publishers) {
      const { name } = publisher;
      const sent = await allow(publisher);
      for (const place of PLACES.filter((each) => isMeant(publisher, each)))
        await eventually(`samples of '${name}' arrive ${place}`, async () => slowest(await this.heard(place), name) > sent);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isFlowing = false;
    // A failure of it was the failure of a test.
    await this.#flow?.catch(() => {});
    for (const program of [...this.publishers.map((each) => each.program), ...this.#viewers.values()]) await program[Symbol.asyncDispose]();
    await this.fleet[Symbol.asyncDispose]();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #begin(): Promise<void> {
    for (const place of PLACES) this.#urls.set(place, new URL(await this.fleet.busUrl(MACHINES[place])));
    const viewer = [process.execPath, await bundled("test/features/data-plane/client-libraries/programs/viewers.ts")];
    const commands = await Promise.all(LANGUAGES.map(({ command }) => command(this.#folder)));
    await Promise.all([
      ...PLACES.map(async (place) => this.#viewers.set(place, await this.#start(place, viewer, `viewer/${place}/0`))),
      ...LANGUAGES.map(async ({ name: language, isComplete }, n) => {
        const [name, place] = [`arm/${language.toLowerCase()}`, language === "Python" ? "far" : "here"] as const;
        const program = await this.#start(place, commands[n] ?? [], name, { MGR_DEBUG: isComplete ? "1" : "0" });
        this.publishers.push({ name, language, isComplete, place, program, sent: 0 });
        await program.do("publisher", name, definitionOf(language));
      }),
    ]);
    this.publishers.sort((a, b) => a.name.localeCompare(b.name));
    for (const place of PLACES) {
      for (const name of this.viewerNames(place).slice(1)) await this.viewers(place).do("connect", name);
      await this.viewers(place).do("watch", JSON.stringify(this.topics));
    }
    await this.viewers("far").do("plain", "topic.arm.>");
  }

  #start(place: Place, command: readonly string[], name: string, environment: Record<string, string> = {}): Promise<Program> {
    return Program.start([...this.fleet.on(MACHINES[place]), ...command], String(this.#urls.get(place)), name, environment);
  }

  async #keepFlowing(): Promise<void> {
    while (this.#isFlowing) {
      const heard = { here: await this.heard("here"), far: await this.heard("far") };
      for (const publisher of this.publishers) {
        const sent = await allow(publisher);
        // One more in any case: a subscriber that has lost the last ones would never catch up.
        await allow(publisher, Math.max(sent + 1, slowest(heard[publisher.place], publisher.name) + AHEAD));
      }
      await pause(CHECK_INTERVAL_MS);
    }
  }
}

export const definitionOf = (language: string) => JSON.stringify({ title: `demo.${language}`, type: "object" });

/** The process itself: on a machine with processes of its own, what nsenter has started. */
export function pidOf({ child }: Program): { outside: number; inside: number } {
  const pid = child.pid ?? 0;
  const [forked] = readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").trim().split(" ");
  const isForked = /^nsenter/.test(readFileSync(`/proc/${pid}/comm`, "latin1"));
  const outside = isForked ? Number(forked) : pid;
  const inside = Number(/^NSpid:.*?(\d+)$/m.exec(readFileSync(`/proc/${outside}/status`, "latin1"))?.[1]);
  return { outside, inside };
}

/** How many messages it may publish in all; resolves with the number of those that it has published. */
const allow = async ({ program, name }: Publisher, until?: number) =>
  Number(await program.do("flow", name, String(HERTZ), ...(until === undefined ? [] : [String(until)])));
/** What all clients of a host have received. */
const slowest = (heard: Record<string, Record<string, Heard>>, topic: string) =>
  Math.min(...Object.values(heard).map((topics) => topics[topic]?.last ?? 0));
