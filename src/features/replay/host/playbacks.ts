import { MgrError } from "../../../base/errors.ts";
import type { Clock } from "../../../base/timing/clock.ts";
import type { RequestOf } from "../../../contract/messages.ts";
import { BEGIN_WITHIN_MS, type HostPlayback, MAX_PLAYS, MAX_REPORTED_TOPICS, MAX_SENTENCE, type PlaybackEvent } from "../contract.ts";
import { PlayWorker } from "./play-worker.ts";

interface PlaybacksOptions {
  readonly clock: Clock;
  /** Address of the host's broker, with a token. */
  readonly url: string;
  /** Paths of files of a recording; null: of all. Throws `not_found`. */
  readonly pathsOf: (recording: string, files: readonly string[] | null) => string[];
  readonly send: (event: PlaybackEvent) => void;
  /** Number of the last event of the program before this one. */
  readonly seq?: number;
}

interface Entry {
  readonly worker: PlayWorker;
  readonly recording: string;
  readonly user: string;
  /** Null: it has not begun. */
  playback: HostPlayback | null;
  /** Ends one that is not begun. */
  timer: unknown;
}

/** The plays of this host, a bounded number. They go on without a manager, and end with the daemon. */
export class Playbacks {
  readonly #options: PlaybacksOptions;
  readonly #entries = new Map<string, Entry>();
  #seq: number;

  constructor(options: PlaybacksOptions) {
    this.#options = options;
    this.#seq = options.seq ?? 0;
  }

  /** Number of the last event. */
  get seq(): number {
    return this.#seq;
  }

  /** Plays that have begun. */
  list(): HostPlayback[] {
    return [...this.#entries.values()].flatMap(({ playback }) => playback ?? []);
  }

  /** Resolves with the names under which the topics will be published. */
  async open({ playback: name, options }: RequestOf<"open_playback">): Promise<string[]> {
    if (this.#entries.has(name)) throw new MgrError("conflict", `there is a play '${name}' already`);
    if (this.#entries.size >= MAX_PLAYS) throw new MgrError("busy", `this host has ${MAX_PLAYS} plays already: stop one of them first`);
    const { clock, url, pathsOf } = this.#options;
    const { recording, user } = options;
    const paths = pathsOf(recording, options.files);
    const worker = new PlayWorker(
      { url, client: clientName(recording), paths, options },
      {
        onState: (state) => {
          if (entry.playback !== null) this.#report(name, { ...entry.playback, ...state });
        },
        onEnd: (error) => this.#ended(name, error?.message ?? null),
      },
    );
    const entry: Entry = { worker, recording, user, playback: null, timer: null };
    this.#entries.set(name, entry);
    const { topics } = await worker.opened;
    entry.timer = clock.setTimeout(() => void worker.end(), BEGIN_WITHIN_MS);
    return [...topics];
  }

  /** Resolves when it plays. */
  async begin({ playback: name, left_out }: RequestOf<"begin_playback">): Promise<HostPlayback> {
    const entry = this.#find(name);
    this.#options.clock.clearTimeout(entry.timer);
    const { startMs, topics, state } = await entry.worker.begin(left_out);
    const { recording, user } = entry;
    const reported = { topics: topics.slice(0, MAX_REPORTED_TOPICS), topic_count: topics.length };
    return this.#report(name, { name, recording, user, start_ms: startMs, ...reported, has_ended: false, problem: null, ...state });
  }

  control({ playback: name, control }: RequestOf<"control_playback">): void {
    const { worker, playback } = this.#find(name);
    // One that has not begun has nothing to finish.
    if (control.action === "stop" && playback === null) void worker.end();
    else worker.control(control);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#entries.values()].map(({ worker }) => worker.end()));
  }

  #find(name: string): Entry {
    const entry = this.#entries.get(name);
    if (entry === undefined) throw new MgrError("not_found", "the play has ended");
    return entry;
  }

  #report(name: string, playback: HostPlayback): HostPlayback {
    const entry = this.#entries.get(name);
    if (entry !== undefined) entry.playback = playback;
    this.#options.send({ seq: ++this.#seq, name, playback });
    return playback;
  }

  #ended(name: string, problem: string | null): void {
    const entry = this.#entries.get(name);
    this.#options.clock.clearTimeout(entry?.timer);
    if (entry?.playback) this.#report(name, { ...entry.playback, has_ended: true, problem: problem?.slice(0, MAX_SENTENCE) ?? null });
    this.#entries.delete(name);
    if (entry?.playback) this.#options.send({ seq: ++this.#seq, name, playback: null });
  }
}

/** Longest name of a client on the bus, characters. */
const MAX_CLIENT_NAME = 128;

/** Name of a play's client: the publisher of its topics. */
function clientName(recording: string): string {
  return [...`mgr play ${recording}`].slice(0, MAX_CLIENT_NAME).join("");
}
