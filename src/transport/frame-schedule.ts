import { isWithin } from "../base/text/names.ts";

/**
 * Maximum numbers of frames of one kind that run at the same time, and that wait, on one connection (docs/design/wire-rules.md, "One connection,
 * many requests").
 */
export const MAX_RUNNING = 16;
export const MAX_WAITING = 64;
/** Maximum number of frames of one connection that wait for their observers: a client may give a command to each of its processes at once. */
const MAX_OBSERVED = 1_024;

/** The object of a frame: frames of one connection about the same object keep their order. */
export interface FrameObject {
  /** Such as "process". Features have kinds of their own. */
  readonly kind: string;
  /** Null: all objects of the kind. The name of a group includes its processes. */
  readonly name: string | null;
}

/** One frame, ready to be carried out. */
export interface FrameWork {
  /** Type of the frame. */
  readonly type: string;
  /** The object of the frame; null: it is independent of every other frame. */
  readonly about: FrameObject | null;
  /**
   * `read`: the frame sees all earlier changes of its object. `change`: it waits for earlier changes of its object, not for reads. `command`: a
   * change that is accepted when it begins, so that later frames need not wait for its end.
   */
  readonly effect: "read" | "change" | "command";
  /** The frame begins when this has resolved, also after the connection has closed. Never rejects. */
  readonly ready?: Promise<unknown>;
  /** Must neither throw nor reject. Calls `answered` when the answer is in the outbox. Resolves once the socket has accepted the answer. */
  run(answered: () => void): void | Promise<void>;
}

interface Entry {
  readonly work: FrameWork;
  /** Later frames that wait for this one. */
  readonly followers: Entry[];
  /** Earlier frames that this one waits for. */
  blockers: number;
  isReleased: boolean;
  isReady: boolean;
}

/**
 * Carries out the frames of one connection. A frame waits for earlier frames about the same object, for a free place among those of its own
 * kind, and for nothing else; one that waits for nothing begins in this turn.
 */
export class FrameSchedule {
  /** Waiting frames, in the order of arrival. */
  #waiting: Entry[] = [];
  /** Frames about an object that later frames may have to wait for. */
  readonly #unreleased = new Set<Entry>();
  /** Numbers of accepted and of running frames, by type. */
  readonly #accepted = new Map<string, number>();
  readonly #running = new Map<string, number>();
  /** Number of answers to reads that the socket has not accepted: while there are any, no other read begins, so a slow reader costs little memory. */
  #unsent = 0;
  /** Number of frames that wait for their observers, or did and have not begun. */
  #observed = 0;
  #isAdvancing = false;
  #hasChanged = false;
  #closed = false;

  /** Accepts a frame; false: too many frames of this kind wait, and this one was not accepted. */
  submit(work: FrameWork): boolean {
    const { type, ready } = work;
    if (this.limitOf(type) !== null) return false;
    const entry: Entry = { work, followers: [], blockers: 0, isReleased: false, isReady: ready === undefined };
    if (ready === undefined) add(this.#accepted, type, 1);
    else this.#waitFor(entry, ready);
    for (const earlier of this.#unreleased) {
      if (!mustWait(work, earlier.work)) continue;
      entry.blockers++;
      earlier.followers.push(entry);
    }
    if (work.about !== null) this.#unreleased.add(entry);
    if (this.#mayBegin(entry)) this.#begin(entry);
    else this.#waiting.push(entry);
    return true;
  }

  /** The number of pending frames at which no other of this type is accepted; null: it is not reached. */
  limitOf(type: string): number | null {
    if ((this.#accepted.get(type) ?? 0) >= MAX_RUNNING + MAX_WAITING) return MAX_RUNNING + MAX_WAITING;
    return this.#observed >= MAX_OBSERVED ? MAX_OBSERVED : null;
  }

  close(): void {
    this.#closed = true;
    const isKept = ({ work }: Entry) => work.ready !== undefined;
    const dropped = this.#waiting.filter((entry) => !isKept(entry));
    this.#waiting = this.#waiting.filter(isKept);
    for (const entry of dropped) this.#release(entry);
  }

  #waitFor(entry: Entry, ready: Promise<unknown>): void {
    this.#observed++;
    void ready.then(() => {
      entry.isReady = true;
      this.#advance();
    });
  }

  #mayBegin({ work, blockers, isReady }: Entry): boolean {
    if (blockers > 0 || !isReady || (this.#closed && work.ready === undefined)) return false;
    return (this.#running.get(work.type) ?? 0) < MAX_RUNNING && (work.effect !== "read" || this.#unsent === 0);
  }

  #begin(entry: Entry): void {
    const { type, effect, ready } = entry.work;
    add(this.#running, type, 1);
    if (ready !== undefined) {
      this.#observed--;
      add(this.#accepted, type, 1);
    }
    let isCounted = false;
    const answered = () => {
      isCounted = effect === "read";
      if (isCounted) this.#unsent++;
      this.#release(entry);
    };
    if (effect === "command") this.#release(entry);
    const finished = () => {
      this.#release(entry);
      if (isCounted) this.#unsent--;
      add(this.#running, type, -1);
      add(this.#accepted, type, -1);
      this.#advance();
    };
    const pending = entry.work.run(answered);
    if (pending) void pending.then(finished);
    else finished();
  }

  #release(entry: Entry): void {
    if (entry.isReleased) return;
    entry.isReleased = true;
    this.#unreleased.delete(entry);
    for (const follower of entry.followers) follower.blockers--;
    if (entry.followers.length > 0) this.#advance();
  }

  /** Begins the frames that no longer have to wait, in the order of arrival. */
  #advance(): void {
    this.#hasChanged = true;
    if (this.#isAdvancing) return;
    this.#isAdvancing = true;
    // A frame that begins may finish at once, and release others before it.
    while (this.#hasChanged) {
      this.#hasChanged = false;
      const waiting = this.#waiting;
      this.#waiting = [];
      for (const entry of waiting) {
        if (this.#mayBegin(entry)) this.#begin(entry);
        else this.#waiting.push(entry);
      }
    }
    this.#isAdvancing = false;
  }
}

function mustWait(work: FrameWork, earlier: FrameWork): boolean {
  if (work.effect !== "read" && earlier.effect === "read") return false;
  const [one, other] = [work.about, earlier.about];
  if (one === null || other === null || one.kind !== other.kind) return false;
  if (one.name === null || other.name === null) return true;
  return one.kind === "process" ? isWithin(one.name, other.name) || isWithin(other.name, one.name) : one.name === other.name;
}

function add(counts: Map<string, number>, type: string, change: number): void {
  const count = (counts.get(type) ?? 0) + change;
  if (count === 0) counts.delete(type);
  else counts.set(type, count);
}
