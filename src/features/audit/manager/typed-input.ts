import type { CommandRefusal, EndOfCommand, ObservedCommand } from "../../../base/command-observer.ts";
import type { Clock } from "../../../base/timing/clock.ts";

/** Commands that are given many times a minute: one entry has those of one user about one process in one minute. */
const REPEATED = new Set(["send_stdin", "send_winch"]);
/** Recorded text at which an entry ends within its minute, characters. */
const MAX_TEXT_CHARS = 32_768;
/** Open entries at most; beyond it the oldest ends early. */
const MAX_OPEN = 1_000;
const MINUTE_MS = 60_000;

/** The input of a user to the terminal of a process in one minute. */
export interface TypedTotal {
  /** Frames of clients. */
  count: number;
  /** Bytes of input, without those that the terminal wrote by itself. */
  bytes?: number;
  /** Bytes that the viewer's terminal wrote in reply to queries of the program. */
  reply_bytes?: number;
  text?: string;
  rows?: number;
  cols?: number;
  refused?: number;
}

interface Entry {
  /** Resolves when the entry is recorded; with the function that ends it, or null if it is not. */
  begun: EntryEnd | null | Promise<EntryEnd | null>;
  readonly total: TypedTotal;
  /** The last refusal, if none of its commands was accepted. */
  refusal: CommandRefusal | null;
  isAccepted: boolean;
}

export type EntryEnd = (total: TypedTotal, refusal: CommandRefusal | null) => void;

interface TypedInputOptions {
  readonly clock: Clock;
  /** Records the first command of an entry. */
  readonly begin: (command: ObservedCommand) => Promise<EntryEnd | null>;
  readonly isTextRecorded: () => boolean;
}

/** Entries of typing and resizing: the first command of a minute is recorded before it takes effect, the total when the minute is over. */
export class TypedInput {
  readonly #options: TypedInputOptions;
  readonly #entries = new Map<string, Entry>();
  #timer: unknown = null;

  constructor(options: TypedInputOptions) {
    this.#options = options;
  }

  static has({ name }: ObservedCommand): boolean {
    return REPEATED.has(name);
  }

  before(command: ObservedCommand): EndOfCommand | Promise<EndOfCommand> {
    const entry = this.#entryOf(command);
    add(entry.total, command.args, this.#options.isTextRecorded());
    const end: EndOfCommand = (outcome) => {
      if (outcome.ok) entry.isAccepted = true;
      else {
        entry.total.refused = (entry.total.refused ?? 0) + 1;
        entry.refusal = outcome;
      }
    };
    return entry.begun instanceof Promise ? entry.begun.then(() => end) : end;
  }

  /** Ends all entries. */
  flush(): void {
    this.#options.clock.clearTimeout(this.#timer);
    this.#timer = null;
    for (const key of [...this.#entries.keys()]) this.#end(key);
  }

  #entryOf(command: ObservedCommand): Entry {
    const { user, address, via } = command.sender;
    const key = JSON.stringify([command.name, user, via, address, command.client, command.target]);
    const known = this.#entries.get(key);
    if (known !== undefined && (known.total.text?.length ?? 0) < MAX_TEXT_CHARS) return known;
    if (known !== undefined) this.#end(key);
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined && this.#entries.size >= MAX_OPEN) this.#end(oldest);
    const begun = this.#options.begin(command);
    const entry: Entry = { begun, total: { count: 0 }, refusal: null, isAccepted: false };
    this.#entries.set(key, entry);
    begun.then(
      (end) => {
        // From here on commands of the entry need not wait.
        entry.begun = end;
      },
      // A command that is refused because it cannot be recorded leaves no entry.
      () => this.#entries.get(key) === entry && this.#entries.delete(key),
    );
    this.#timer ??= this.#options.clock.setTimeout(() => this.flush(), MINUTE_MS - (this.#options.clock.now() % MINUTE_MS));
    return entry;
  }

  #end(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    const { begun, total, refusal, isAccepted } = entry;
    const end = (done: EntryEnd | null) => done?.(total, isAccepted ? null : refusal);
    if (begun instanceof Promise) begun.then(end, () => undefined);
    else end(begun);
  }
}

function add(total: TypedTotal, { text, reply, rows, cols }: ObservedCommand["args"], isTextRecorded: boolean): void {
  total.count++;
  if (typeof text === "string") {
    const bytes = Buffer.byteLength(text);
    if (reply === true) total.reply_bytes = (total.reply_bytes ?? 0) + bytes;
    else total.bytes = (total.bytes ?? 0) + bytes;
    if (isTextRecorded) total.text = (total.text ?? "") + text;
  }
  if (typeof rows === "number" && typeof cols === "number") Object.assign(total, { rows, cols });
}
