import { randomUUID } from "node:crypto";
import type { ManagerCore } from "../../../app/feature.ts";
import { HostParts } from "../../../app/hosts/host-parts.ts";
import type { HostSession } from "../../../app/hosts/host-session.ts";
import { MgrError } from "../../../base/errors.ts";
import { formatTime } from "../../../protocol/time.ts";
import type { Recordings } from "../../recordings/manager/index.ts";
import type { Recording } from "../../recordings/wire.ts";
import type { ControlAction, HostPlayback, PlayOptions } from "../contract.ts";
import { type LiveTopic, liveText, liveTopics } from "../live-topics.ts";
import type { Playback } from "../wire.ts";
import { HostPlaybacks } from "./host-playbacks.ts";
import type { ControlRequest, Playbacks, PlayRequest } from "./playbacks.ts";

/** Maximum number of plays that have ended early and are listed; the oldest are forgotten. */
const MAX_ENDED = 16;
const LIVE_ADVICE = "choose other topics (topics), other names (remap) or leave out live topics (skip_live)";

type Options = Pick<ManagerCore, "clock" | "events" | "hosts" | "log" | "named"> & {
  readonly recordings: Pick<Recordings, "list">;
  /** All topics that are published now. */
  readonly topics: () => readonly LiveTopic[];
};

/** The plays of all hosts. The daemons play: they go on without a manager, and the next manager reads their reports. */
export class ManagerPlaybacks implements Playbacks {
  readonly #options: Options;
  readonly #hosts: HostParts<HostPlaybacks>;
  readonly #plays = new Map<string, Playback>();

  constructor(options: Options) {
    this.#options = options;
    const { hosts, events, clock } = options;
    this.#hosts = new HostParts({
      hosts,
      events,
      make: (host, session) =>
        new HostPlaybacks({
          session,
          clock,
          known: this.#at(host).flatMap(({ id, state }) => (state === "ended" ? [] : id)),
          changed: (id, playback) => this.#changed(host, id, playback),
        }),
      begin: (_host, playbacks) => playbacks.begin(),
      lost: () => this.#readyChanged(),
      removed: (playbacks) => {
        for (const { id } of this.#at(playbacks?.session.link.host ?? "")) this.#remove(id);
      },
    });
  }

  list(): Playback[] {
    return [...this.#plays.values()];
  }

  async play(request: PlayRequest, by: string): Promise<Playback> {
    const { named, log } = this.#options;
    const recording = this.#recording(request.name);
    const host = this.#hostOf(recording, request);
    const session = named.session(host);
    const id = randomUUID();
    const { topics } = await session.command((own) =>
      session.link.request("open_playback", { session: own, playback: id, options: optionsOf(request, by) }),
    );
    const begun = await this.#begin(session, { id, topics, skipsLive: request.skip_live ?? false });
    for (const ended of this.list()) if (ended.state === "ended" && ended.recording === request.name) this.#remove(ended.id);
    log.info(`'${by}' plays the recording '${request.name}' on host '${host}'`);
    // It may have been reported as newer, or as ended, already.
    return this.#plays.get(id) ?? this.#resource(host, begun);
  }

  async control({ playback: id, ...request }: ControlRequest, by: string): Promise<void> {
    const known = this.#plays.get(id);
    if (known === undefined) throw new MgrError("not_found", "the play has ended");
    if (known.state === "ended") {
      if (request.action !== "stop") throw new MgrError("conflict", `the play of '${known.recording}' has ended: play it again`);
      this.#remove(id);
      return;
    }
    const session = this.#options.named.session(known.host);
    await session.command((own) => session.link.request("control_playback", { session: own, playback: id, control: actionOf(request) }));
    if (request.action === "stop") this.#options.log.info(`'${by}' stopped the play of '${known.recording}'`);
  }

  close(): void {
    this.#hosts.close();
  }

  /** Begins a play that is open, unless one of its topics has a publisher. */
  async #begin(session: HostSession, play: { id: string; topics: readonly string[]; skipsLive: boolean }): Promise<HostPlayback> {
    try {
      const live = await liveTopics(play.topics, this.#options.topics, this.#options.clock);
      if (live.length > 0 && !play.skipsLive) throw new MgrError("conflict", liveText(live, LIVE_ADVICE));
      const left_out = live.map(({ name, publisher }) => ({ name, publisher }));
      const { playback } = await session.command((own) =>
        session.link.request("begin_playback", { session: own, playback: play.id, left_out }),
      );
      return playback;
    } catch (error) {
      const stop = { playback: play.id, control: { action: "stop" as const } };
      // It may have ended; a host that is lost ends it by itself.
      session.command((own) => session.link.request("control_playback", { session: own, ...stop })).catch(() => undefined);
      throw error;
    }
  }

  #recording(name: string): Recording {
    const recording = this.#options.recordings.list().find((each) => each.name === name);
    if (recording === undefined) throw new MgrError("not_found", `there is no recording '${name}'`);
    if (recording.state !== "idle" && recording.state !== "error")
      throw new MgrError(
        "conflict",
        `the recording '${name}' is ${recording.state === "recording" ? "running" : recording.state}: stop it first`,
      );
    return recording;
  }

  #hostOf({ name, files }: Recording, request: PlayRequest): string {
    const hosts = [...new Set(files.map(({ host }) => host))];
    const wanted = request.host === undefined ? null : this.#options.named.canonical(request.host);
    const [host, ...others] = wanted === null ? hosts : hosts.filter((each) => each === wanted);
    if (host === undefined)
      throw new MgrError("not_found", `there are no files of '${name}'${wanted === null ? "" : ` on host '${wanted}'`}`);
    if (others.length > 0) throw new MgrError("bad_field", `'host' is needed: there are files of '${name}' on ${hosts.join(", ")}`);
    return host;
  }

  #changed(host: string, id: string, reported: HostPlayback | null): void {
    const known = this.#plays.get(id);
    if (reported !== null) this.#set(this.#resource(host, reported));
    else if (known?.state === "ended") {
      if (known.problem === null) this.#remove(id);
    } else if (known !== undefined) {
      const problem = `the daemon of host '${host}' was restarted or upgraded, which ended the play: play it again`;
      this.#set({ ...known, state: "ended", host_ready: true, problem });
    }
  }

  #set(playback: Playback): void {
    const { events, log } = this.#options;
    const { id, recording, host, problem } = playback;
    const hasEnded = playback.state === "ended" && this.#plays.get(id)?.state !== "ended";
    this.#plays.set(id, playback);
    events.publish({ type: "playback_upsert", playback });
    if (hasEnded && problem !== null) log.warn(`the play of '${recording}' on host '${host}' has ended: ${problem}`);
    const ended = this.list().filter(({ state }) => state === "ended");
    for (const each of ended.slice(0, Math.max(0, ended.length - MAX_ENDED))) this.#remove(each.id);
  }

  #remove(id: string): void {
    if (this.#plays.delete(id)) this.#options.events.publish({ type: "playback_remove", id });
  }

  #at(host: string): Playback[] {
    return this.list().filter((playback) => playback.host === host);
  }

  #readyChanged(): void {
    for (const playback of this.list()) {
      const host_ready = playback.state === "ended" || this.#hosts.ready.has(playback.host);
      if (host_ready !== playback.host_ready) this.#set({ ...playback, host_ready });
    }
  }

  #resource(host: string, reported: HostPlayback): Playback {
    const { name, recording, user, start_ms, topics, topic_count, rate, published, notes, problem } = reported;
    return {
      id: name,
      recording,
      host,
      user,
      state: reported.has_ended ? "ended" : reported.is_paused ? "paused" : "playing",
      host_ready: true,
      start_time: formatTime(start_ms),
      position: reported.position_ms / 1_000,
      length: reported.length_ms / 1_000,
      rate,
      loop: reported.is_looping,
      published,
      late: reported.late_ms / 1_000,
      topics,
      topic_count,
      notes,
      problem,
    };
  }
}

function optionsOf(request: PlayRequest, user: string): PlayOptions {
  return {
    recording: request.name,
    files: request.files ?? null,
    user,
    topics: request.topics ?? [],
    remap: request.remap ?? [],
    rate: request.rate ?? 1,
    from: request.from ?? null,
    until: request.until ?? null,
    is_looping: request.loop ?? false,
    is_paused: request.paused ?? false,
    has_clock: request.clock ?? true,
  };
}

/** The frame is checked: the field that the action needs is there. */
function actionOf({ action, position = 0, rate = 1, loop = false }: Omit<ControlRequest, "playback">): ControlAction {
  if (action === "seek") return { action, position_ms: position * 1_000 };
  if (action === "rate") return { action, rate };
  if (action === "loop") return { action, is_looping: loop };
  return { action };
}
