import { filter, firstValueFrom } from "rxjs";
import { expect } from "vitest";
import { inProcessLink } from "../../../src/app/embedded/in-process-link.ts";
import { Engine } from "../../../src/app/engine.ts";
import type { ManagerLink } from "../../../src/client/link/manager-link.ts";
import { Mirror } from "../../../src/client/mirror.ts";
import type { Config } from "../../../src/config/definition.ts";
import { loadConfigObject } from "../../../src/config/load/load.ts";
import { LogBook } from "../../../src/log/log-book.ts";
import type { ManagerFrame } from "../../../src/protocol/frames/frames.ts";
import type { HostEntry, Process, ProcessTreeNode, Snapshot } from "../../../src/protocol/resources/resources.ts";
import type { RequestedView } from "../../../src/transport/view.ts";
import { createTransport } from "../../../src/transport/websocket.ts";
import { testClock } from "../../actors/support/clock.ts";
import { Intents } from "./engines.ts";
import { FakeHost } from "./fake-host.ts";
import { settled } from "./scripted-link.ts";

const VIEWS: RequestedView[] = [
  { kind: "full" },
  { kind: "single_process", name: "g/server" },
  { kind: "single_group", name: "g" },
  { kind: "log_only" },
];

const BASE = {
  "g/server": { command: "run", ready: { regex: "up" }, ready_timeout: "5s" },
  "g/in/client": { command: "run", depends_on: { "g/server": { on_stop: "restart" } }, restart: { policy: "always", delay: "1s" } },
  careful: { command: "run", restart: { policy: "on-failure", delay: "1s" } },
} as const;

function configOf(processes: object, hosts: object): Config {
  return loadConfigObject(
    { instance: { name: "bench" }, processes: processes as never, hosts: hosts as never },
    { base_dir: "/", state_dir: "/nowhere" },
  );
}

const CONFIGS = [
  configOf(BASE, {}),
  configOf(
    { ...BASE, "g/more": { command: "run", autostart: true }, careful: { command: "run otherwise" } },
    { away: { aliases: ["far"] } },
  ),
  configOf({ careful: BASE.careful, other: { command: "run" } }, {}),
];

/** What a connection was told: a snapshot, then events. */
export class Follower {
  readonly link: ManagerLink;
  readonly mirror: Mirror;
  /** Resources that an event repeated although nothing had changed. */
  readonly repeated: string[] = [];
  /** Every frame, in order. */
  readonly frames: ManagerFrame[] = [];
  readonly #processes = new Map<string, Process>();
  readonly #hosts = new Map<string, HostEntry>();
  #tree: ProcessTreeNode[] = [];

  constructor(link: ManagerLink) {
    this.link = link;
    link.frames$.subscribe((frame) => this.#take(frame));
    this.mirror = new Mirror({ link, snapshot: () => this.ask() });
  }

  ask(): Promise<Snapshot> {
    const answer = firstValueFrom(this.link.frames$.pipe(filter((frame) => frame.type === "snapshot")));
    this.link.send({ type: "get_snapshot" });
    return answer;
  }

  /** Resolves once everything has arrived that was sent so far: an answer comes after it. */
  async heard(): Promise<void> {
    const request_id = `heard ${this.frames.length}`;
    const answer = firstValueFrom(this.link.frames$.pipe(filter((frame) => "request_id" in frame && frame.request_id === request_id)));
    this.link.send({ type: "get_process_output", name: "nobody", request_id });
    await answer;
  }

  state() {
    const byName = <T extends { name: string }>(map: Map<string, T>) => [...map.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    return { processes: byName(this.#processes), hosts: byName(this.#hosts), tree: withoutStates(this.#tree) };
  }

  #take(frame: ManagerFrame): void {
    this.frames.push(frame);
    switch (frame.type) {
      case "snapshot":
        this.#processes.clear();
        this.#hosts.clear();
        for (const process of frame.processes) this.#processes.set(process.name, process);
        for (const host of frame.host_list) this.#hosts.set(host.name, host);
        this.#tree = frame.process_tree;
        break;
      case "process_upsert":
        this.#put(this.#processes, frame.process);
        break;
      case "process_remove":
        this.#processes.delete(frame.name);
        break;
      case "host_upsert":
        this.#put(this.#hosts, frame.host);
        break;
      case "host_remove":
        this.#hosts.delete(frame.name);
        break;
      case "process_tree":
        if (JSON.stringify(withoutStates(this.#tree)) === JSON.stringify(withoutStates(frame.process_tree))) this.repeated.push("the tree");
        this.#tree = frame.process_tree;
        break;
    }
  }

  #put<T extends { name: string }>(map: Map<string, T>, resource: T): void {
    if (JSON.stringify(map.get(resource.name)) === JSON.stringify(resource)) this.repeated.push(JSON.stringify(resource));
    map.set(resource.name, resource);
  }
}

function withoutStates(tree: readonly ProcessTreeNode[]): unknown {
  return JSON.parse(JSON.stringify(tree, (key, value) => (key === "state" ? undefined : value)));
}

function groupsOf(tree: readonly ProcessTreeNode[]): { name: string; state: string }[] {
  return tree.flatMap((node) => (node.type === "group" ? [{ name: node.name, state: node.state }, ...groupsOf(node.children)] : []));
}

/** An engine with a host that runs nothing, and two connections of each view: one only follows events, one asks for snapshots. */
export class FollowedEngine {
  readonly clock = testClock();
  readonly host = new FakeHost(() => this.clock.now());
  readonly intents = new Intents();
  readonly engine: Engine;
  readonly #transport: ReturnType<typeof createTransport>;
  readonly followers: { view: RequestedView; follower: Follower; asked: Follower }[];
  /** Spawns that the host has not answered. */
  #unanswered: (() => void)[] | null = null;
  #next = 0;

  constructor() {
    const answer = this.host.auto;
    this.host.auto = (name, request) => {
      const answered = answer(name, request);
      if (name !== "spawn" || this.#unanswered === null || answered instanceof Error) return answered;
      return new Promise((resolve) => this.#unanswered?.push(() => resolve(answered)));
    };
    this.engine = new Engine({
      config: CONFIGS[0] as Config,
      clock: this.clock,
      log: new LogBook({ capacity: 1_000, now: () => this.clock.now() }),
      intents: this.intents,
      epoch: 1,
      link: this.host,
      loadConfig: async () => CONFIGS[this.#next] as Config,
    });
    const { control, extensions, hub, system } = this.engine;
    this.#transport = createTransport({ control, extensions, hub, system, assetHash: "" });
    const received = (view: RequestedView) => new Follower(inProcessLink(this.#transport, view));
    this.followers = VIEWS.map((view) => ({ view, follower: received(view), asked: received(view) }));
  }

  /** The connection that sees everything and only follows events. */
  get full(): Follower {
    const [first] = this.followers;
    if (first === undefined) throw new Error("there are no views");
    return first.follower;
  }

  async begin(): Promise<void> {
    for (const { follower } of this.followers) await follower.mirror.current();
    this.host.beatNow();
    await this.settle();
  }

  /** Lets everything happen that waits for no time, and reach those who follow: in a long burst, events wait for milliseconds. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < 5; turn++) await settled();
    for (const { follower } of this.followers) await follower.heard();
  }

  /** An end is told once the run's output is complete, or after a time-out: this host sends no output. */
  async outputTimedOut(): Promise<void> {
    await this.settle();
    this.host.beatNow();
    for (let elapsed = 0; elapsed < 2_000; elapsed += 100) this.clock.advance(100);
    await this.settle();
  }

  name(at: number): string {
    const names = this.engine.processTable.names();
    return names[at % names.length] ?? "";
  }

  reload(next: number): void {
    this.#next = next % CONFIGS.length;
    // A name that is still being stopped may be refused.
    this.engine.control.configuration.reload("ada").catch(() => undefined);
  }

  holdSpawns(): void {
    this.#unanswered ??= [];
  }

  answerSpawns(): void {
    const waiting = this.#unanswered ?? [];
    this.#unanswered = null;
    for (const each of waiting) each();
  }

  async check(after: string): Promise<void> {
    for (const { view, follower, asked } of this.followers) {
      const about = `${JSON.stringify(view)} after ${after}`;
      const { process_tree } = await asked.ask();
      expect(follower.state(), about).toEqual(asked.state());
      expect(
        groupsOf(process_tree).map(({ name }) => ({ name, state: follower.mirror.group(name)?.state })),
        about,
      ).toEqual(groupsOf(process_tree));
      expect(follower.repeated, about).toEqual([]);
    }
  }

  close(): void {
    this.answerSpawns();
    for (const { follower, asked } of this.followers) for (const { link } of [follower, asked]) link.close();
    this.#transport.close(1001, "the test is over");
    this.engine.close();
  }
}
