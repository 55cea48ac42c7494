import { expect, test } from "vitest";
import { DomainEvents } from "../../../../src/actors/domain-events.ts";
import { MgrError } from "../../../../src/base/errors.ts";
import type { HostListener } from "../../../../src/contract/host-link.ts";
import { EMPTY_LIST } from "../../../../src/contract/pages.ts";
import type { Recording } from "../../../../src/features/recordings/wire.ts";
import type { HostPlayback } from "../../../../src/features/replay/contract.ts";
import type { LiveTopic } from "../../../../src/features/replay/live-topics.ts";
import { ManagerPlaybacks } from "../../../../src/features/replay/manager/manager-playbacks.ts";
import { LogBook } from "../../../../src/log/log-book.ts";
import type { HostEntry } from "../../../../src/protocol/resources/resources.ts";
import { SimulatedClock } from "../../../../src/testing/simulated-clock.ts";

const reported = (name: string, change: Partial<HostPlayback> = {}): HostPlayback => ({
  name,
  recording: "run1",
  user: "anna",
  start_ms: Date.UTC(2026, 10, 26, 12),
  topics: ["arm/state"],
  topic_count: 1,
  has_ended: false,
  problem: null,
  position_ms: 0,
  length_ms: 10_000,
  rate: 1,
  is_paused: false,
  is_looping: false,
  published: 0,
  late_ms: 0,
  notes: [],
  ...change,
});

/** A manager with scripted hosts, and recordings on them. */
class Rig {
  readonly clock = new SimulatedClock();
  readonly events = new DomainEvents((error) => {
    throw error;
  });
  readonly log = new LogBook({ capacity: 100, now: () => 0 });
  readonly frames: string[] = [];
  readonly requests: Record<string, unknown>[] = [];
  recordings: Pick<Recording, "name" | "state" | "files">[] = [];
  live: LiveTopic[] = [];
  refusal: Error | null = null;
  readonly #hosts = new Map<string, { listener: HostListener; session: unknown }>();
  readonly playbacks: ManagerPlaybacks;
  #seq = 0;

  constructor() {
    this.events.subscribe((event) => {
      if (event.type === "playback_upsert") this.frames.push(`${event.playback.state} ${event.playback.position}`);
      if (event.type === "playback_remove") this.frames.push("remove");
    });
    const session = (name: string) => {
      const known = this.#hosts.get(name)?.session;
      if (known === undefined) throw new MgrError("host_unavailable", `the daemon of host '${name}' cannot be reached`);
      return known;
    };
    const options = {
      clock: this.clock,
      events: this.events,
      hosts: { session: (name: string) => this.#hosts.get(name)?.session ?? null },
      log: this.log,
      named: { session, canonical: (name: string) => name.replace("alias-of-", "") },
      recordings: { list: () => this.recordings },
      topics: () => this.live,
    };
    // Only these parts of the core are used.
    this.playbacks = new ManagerPlaybacks(options as unknown as ConstructorParameters<typeof ManagerPlaybacks>[0]);
  }

  record(name: string, hosts: readonly string[], state: Recording["state"] = "idle"): void {
    const files = hosts.map((host) => ({ host, file: `${name}.mcap` }));
    this.recordings.push({ name, state, files: files as Recording["files"] });
  }

  /** The host connects, with these plays in its table. */
  async connect(host: string, rows: HostPlayback[] = []): Promise<void> {
    const session = {
      isOpen: true,
      session: "s",
      streamId: "life",
      command: async (send: (id: string) => unknown) => send("s"),
      link: {
        host,
        request: async (name: string, request: { playback?: string }) => {
          if (name === "playbacks") return { ...EMPTY_LIST, data: Buffer.from(JSON.stringify(rows)), seq: this.#seq };
          this.requests.push({ host, request: name, ...request });
          if (this.refusal !== null && name !== "control_playback") throw this.refusal;
          if (name === "open_playback") return { topics: ["arm/state", "arm/torque"] };
          return name === "begin_playback" ? { playback: reported(request.playback ?? "") } : {};
        },
        listen: (listener: HostListener) => {
          this.#hosts.set(host, { listener, session });
          return () => {};
        },
      },
    };
    this.#hosts.set(host, { listener: {}, session });
    this.events.publish({ type: "host_upsert", host: { name: host, state: "ready" } as HostEntry });
    await this.clock.settle();
  }

  lose(host: string): void {
    this.#hosts.delete(host);
    this.events.publish({ type: "host_upsert", host: { name: host, state: "lost" } as unknown as HostEntry });
  }

  report(host: string, name: string, playback: HostPlayback | null): void {
    this.#hosts.get(host)?.listener.onNews?.playback?.({ seq: ++this.#seq, name, playback });
  }

  /** A play of run1 on rt1 that is reported. */
  async play(): Promise<string> {
    const { id } = await this.playbacks.play({ name: "run1" }, "anna");
    this.report("rt1", id, reported(id));
    return id;
  }
}

async function recorded(): Promise<Rig> {
  const rig = new Rig();
  rig.record("run1", ["rt1"]);
  await rig.connect("rt1");
  return rig;
}

test("a recording is played on the host of its files, controlled, and forgotten at its end", async () => {
  const rig = await recorded();
  const id = await rig.play();
  expect(rig.requests).toMatchObject([
    {
      host: "rt1",
      request: "open_playback",
      options: { recording: "run1", user: "anna", rate: 1, topics: [], files: null, has_clock: true },
    },
    { host: "rt1", request: "begin_playback", playback: id, left_out: [] },
  ]);
  await rig.playbacks.control({ playback: id, action: "seek", position: 2.5 }, "anna");
  await rig.playbacks.control({ playback: id, action: "rate", rate: 10 }, "anna");
  await rig.playbacks.control({ playback: id, action: "step" }, "anna");
  expect(rig.requests.slice(2).map(({ control }) => control)).toEqual([
    { action: "seek", position_ms: 2_500 },
    { action: "rate", rate: 10 },
    { action: "step" },
  ]);
  rig.report("rt1", id, reported(id, { position_ms: 2_500, is_paused: true }));
  expect(rig.playbacks.list()).toMatchObject([{ id, state: "paused", position: 2.5, length: 10, host: "rt1", host_ready: true }]);
  rig.report("rt1", id, reported(id, { has_ended: true, position_ms: 10_000 }));
  rig.report("rt1", id, null);
  expect(rig.frames).toEqual(["playing 0", "paused 2.5", "ended 10", "remove"]);
  await expect(rig.playbacks.control({ playback: id, action: "pause" }, "anna")).rejects.toMatchObject({ code: "not_found" });
});

test("a live publisher on any host refuses the play by name, or its topic is left out", async () => {
  const rig = await recorded();
  rig.live = [{ name: "arm/torque", publisher: "live arm", publisher_host: "rt2" }];
  const refused = expect(rig.playbacks.play({ name: "run1" }, "anna")).rejects.toMatchObject({
    code: "conflict",
    message: expect.stringContaining("'arm/torque' is published by 'live arm' on rt2"),
  });
  await rig.clock.advance(2_000);
  await refused;
  // What was opened is ended.
  expect(rig.requests.map(({ request }) => request)).toEqual(["open_playback", "control_playback"]);
  const played = rig.playbacks.play({ name: "run1", skip_live: true }, "anna");
  await rig.clock.advance(2_000);
  await played;
  expect(rig.requests.at(-1)).toMatchObject({ request: "begin_playback", left_out: [{ name: "arm/torque", publisher: "live arm" }] });
});

test("a publisher that has just ended does not refuse a play", async () => {
  const rig = await recorded();
  rig.live = [{ name: "arm/torque", publisher: "live arm", publisher_host: "rt2" }];
  const played = rig.playbacks.play({ name: "run1" }, "anna");
  await rig.clock.advance(100);
  rig.live = [];
  await rig.clock.advance(1_000);
  expect(await played).toMatchObject({ recording: "run1", state: "playing" });
});

test("recordings that run, that are unknown, or whose files are on several or no hosts are refused", async () => {
  const rig = await recorded();
  rig.record("running", ["rt1"], "recording");
  rig.record("both", ["rt1", "rt2"]);
  rig.record("empty", []);
  const play = (name: string, host?: string) => rig.playbacks.play({ name, ...(host === undefined ? {} : { host }) }, "anna");
  await expect(play("none")).rejects.toMatchObject({ code: "not_found" });
  await expect(play("empty")).rejects.toMatchObject({ code: "not_found" });
  await expect(play("running")).rejects.toMatchObject({ code: "conflict", message: "the recording 'running' is running: stop it first" });
  await expect(play("both")).rejects.toMatchObject({ code: "bad_field", message: expect.stringContaining("rt1, rt2") });
  await expect(play("both", "rt2")).rejects.toMatchObject({ code: "host_unavailable" });
  await expect(play("both", "rt3")).rejects.toMatchObject({ code: "not_found" });
  expect(await play("both", "alias-of-rt1")).toMatchObject({ host: "rt1" });
  rig.refusal = new MgrError("busy", "this host has 4 plays already");
  await expect(play("run1")).rejects.toThrow(rig.refusal);
});

test("a play goes on while its host is away, and has ended if the daemon that returns does not have it", async () => {
  const rig = await recorded();
  const id = await rig.play();
  rig.lose("rt1");
  expect(rig.playbacks.list()).toMatchObject([{ state: "playing", host_ready: false }]);
  await expect(rig.playbacks.control({ playback: id, action: "pause" }, "anna")).rejects.toMatchObject({ code: "host_unavailable" });
  await rig.connect("rt1", [reported(id, { position_ms: 3_000 })]);
  expect(rig.playbacks.list()).toMatchObject([{ state: "playing", host_ready: true, position: 3 }]);
  rig.lose("rt1");
  await rig.connect("rt1");
  const problem = "the daemon of host 'rt1' was restarted or upgraded, which ended the play: play it again";
  expect(rig.playbacks.list()).toMatchObject([{ id, state: "ended", problem }]);
  expect(rig.log.entries({ level: "warning" }).map(({ msg }) => msg)).toEqual([`the play of 'run1' on host 'rt1' has ended: ${problem}`]);
});

test("a play that ended early is listed until it is dismissed or its recording is played again", async () => {
  const rig = await recorded();
  const problem = "the broker refuses 'arm/state'";
  for (const next of ["dismiss", "play"]) {
    const id = await rig.play();
    rig.report("rt1", id, reported(id, { has_ended: true, problem }));
    rig.report("rt1", id, null);
    expect(rig.playbacks.list()).toMatchObject([{ id, state: "ended", problem }]);
    await expect(rig.playbacks.control({ playback: id, action: "pause" }, "anna")).rejects.toMatchObject({ code: "conflict" });
    if (next === "dismiss") await rig.playbacks.control({ playback: id, action: "stop" }, "anna");
    else await rig.play();
    expect(rig.playbacks.list().filter(({ state }) => state === "ended")).toEqual([]);
  }
});

test("the plays of an earlier manager are listed", async () => {
  const rig = new Rig();
  await rig.connect("rt1", [reported("before", { is_paused: true, late_ms: 20 })]);
  expect(rig.playbacks.list()).toEqual([
    {
      id: "before",
      recording: "run1",
      host: "rt1",
      user: "anna",
      state: "paused",
      host_ready: true,
      start_time: "2026-11-26T12:00:00.000",
      position: 0,
      length: 10,
      rate: 1,
      loop: false,
      published: 0,
      late: 0.02,
      topics: ["arm/state"],
      topic_count: 1,
      notes: [],
      problem: null,
    },
  ]);
});
