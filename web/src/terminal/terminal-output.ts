import type { IMarker } from "@xterm/xterm";
import type { ManagerConnection } from "../../../src/client/manager-connection.ts";
import { OutputJoin, type OutputPlace, textOfLastBytes } from "../../../src/client/output-join.ts";
import type { ManagerFrame } from "../../../src/protocol/frames/frames.ts";
import type { ask } from "../state/store.ts";
import { type Cut, partsBetween } from "./backlog-parts.ts";
import { type DrawnPart, type DrawnRule, DrawQueue, LEAVE_ALTERNATE_SCREEN, RESET } from "./draw-queue.ts";
import type { OutputTarget } from "./places/output-target.ts";
import { type OutputPart, type RunHistory, RunRules } from "./places/run-rules.ts";
import { type OutputTerminal, TargetPlace } from "./places/target-place.ts";
import type { ReportedSize } from "./terminal-size.ts";

const BACKLOG_LINES = 5_000;
/** Number of lines that are requested and drawn first: more than any screen has rows. */
const NEWEST_LINES = 200;
/** Maximum text that xterm.js has not drawn yet, characters; beyond it the newest backlog is requested instead. */
const MAX_UNDRAWN_CHARS = 4_000_000;
/** Number of lines that are requested to show a place in them: all that a host may have. */
const TARGET_LINES = 100_000;
/**
 * Pause before an unavailable backlog is requested again, ms: doubled each time. It ends early when the host returns.
 */
const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 30_000;

/** The part of the manager's client that is used. */
type OutputClient = Pick<ManagerConnection, "output$" | "events$" | "request"> & {
  readonly mirror: Pick<ManagerConnection["mirror"], "process">;
  readonly link: Pick<ManagerConnection["link"], "state$">;
};

interface Options {
  name: string;
  terminal: OutputTerminal;
  client: OutputClient;
  ask: typeof ask;
  onRule: (rule: DrawnRule<IMarker>) => void;
  /** Called before the backlog is drawn, with the size that it was written for. Returns whether the program has to redraw. */
  onSize: (told: ReportedSize) => boolean;
  onEmpty: (isEmpty: boolean) => void;
  /** Called when the newest lines are drawn, and then when the whole backlog is. */
  onDrawn: (hasToRedraw: boolean) => void;
  /** Called on live output. */
  onLive: () => void;
  /** Called when a requested place is drawn: with its line, if it is there, and with what the user has to know about it. */
  onPlace: (marker: IMarker | null, note: string | null) => void;
}

type Backlog = Extract<ManagerFrame, { type: "process_output_snapshot" }>;
/** Live output, and the place where it ends. */
interface Held {
  text: string;
  end: OutputPlace;
}

/**
 * Clears screen and scrollback without an empty frame: xterm.js draws nothing until END_REDRAW (DEC mode 2026). Resets the modes that programs
 * set most.
 */
const BEGIN_REDRAW = `\x1b[?2026h${LEAVE_ALTERNATE_SCREEN}${RESET}\x1b[?7h\x1b[?2004l\x1b[?1l\x1b>\x1b[2J\x1b[3J\x1b[H`;
const END_REDRAW = "\x1b[?2026l";
/** Resets the margins, as a change of size does; the cursor stays. */
const WHOLE_SCREEN = "\x1b7\x1b[r\x1b8";

/**
 * Draws the output of a process: its newest lines, then the whole backlog instead of them, then live output, with a rule at the end of each run.
 */
export class TerminalOutput {
  readonly #options: Options;
  readonly #queue: DrawQueue<IMarker>;
  readonly #ends: (() => void)[] = [];
  #join = new OutputJoin();
  /** Also receives the live output while the whole backlog is being requested. */
  #wholeJoin: OutputJoin | null = null;
  #rules = new RunRules();
  /** Live output that waits until the end of a run is known; null: no run's end is awaited. */
  #held: Held[] | null = null;
  /** Whether a run has ended since the history was requested. */
  #hasEndedAgain = false;
  #isReplaying = true;
  #replays = 0;
  #isPaused = false;
  #isClosed = false;
  /** The place to show when the backlog is drawn. */
  #target: OutputTarget | null = null;
  #maxUndrawn = MAX_UNDRAWN_CHARS;
  /** The timer of the next request while the backlog is not available: the manager is connected, the process's host is not yet. */
  #retry: ReturnType<typeof setTimeout> | undefined;
  #refusals = 0;

  constructor(options: Options) {
    this.#options = options;
    this.#queue = new DrawQueue(options.terminal, options.onRule);
    const { name, client } = options;
    const output = client.output$(name).subscribe((frame) => {
      if (this.#isPaused) return;
      if (frame.skipped) this.#draw([`\r\n\x1b[0m\x1b[33m… ${frame.skipped} bytes skipped …\x1b[0m\r\n`]);
      this.#wholeJoin?.live(frame);
      const text = this.#join.live(frame);
      const { end } = this.#join;
      if (end !== null) this.#live(text, end);
      options.onLive();
    });
    let stopTime = client.mirror.process(name)?.stop_time ?? null;
    const runs = client.events$.subscribe((frame) => {
      if (frame.type !== "process_upsert" || frame.process.name !== name || frame.process.stop_time === stopTime) return;
      stopTime = frame.process.stop_time;
      if (stopTime !== null) void this.#learn();
    });
    const reconnects = client.link.state$.subscribe((state) => {
      if (state.kind !== "open") return;
      this.#refusals = 0;
      void this.replay();
    });
    this.#ends.push(...[output, runs, reconnects].map((subscription) => () => subscription.unsubscribe()));
  }

  get isReplaying(): boolean {
    return this.#isReplaying;
  }

  set isPaused(isPaused: boolean) {
    if (this.#isPaused && !isPaused) void this.replay();
    this.#isPaused = isPaused;
  }

  /** Called when the process's host is connected: requests a backlog that was not available. */
  hostReady(): void {
    if (this.#retry !== undefined) void this.replay();
  }

  /** Draws the output again and shows a place in it. */
  goTo(target: OutputTarget): void {
    this.#target = target;
    void this.replay();
  }

  /** Requests and draws the backlog, also after each reconnect. The subscription exists already, so that no output is lost in between. */
  async replay(): Promise<void> {
    const { name, terminal, client } = this.#options;
    const mine = ++this.#replays;
    const isOver = () => this.#isClosed || mine !== this.#replays;
    clearTimeout(this.#retry);
    this.#retry = undefined;
    this.#isReplaying = true;
    this.#join = new OutputJoin();
    this.#wholeJoin = null;
    this.#held = null;
    const target = this.#target;
    const backlog = await this.#backlog(target === null ? NEWEST_LINES : TARGET_LINES, target !== null);
    if (isOver()) return;
    // Live output waits for the backlog: without a retry nothing would ever be shown.
    if (backlog === null) return this.#retryLater();
    this.#hasEndedAgain = false;
    // Requested after the backlog, so that the ends of all its runs are known.
    const [history, told] = await Promise.all([
      this.#history(),
      client.request({ type: "follow_terminal_size", name }).catch(() => null),
      this.#queue.drawn(),
    ]);
    if (isOver()) return;
    terminal.reset();
    const isAccepted = told?.type === "terminal_size" && this.#options.onSize(told);
    const place = target === null ? null : new TargetPlace(terminal, backlog, target);
    const parts = this.#partsOf(backlog, history, place);
    this.#options.onEmpty(parts.length === 0);
    this.#maxUndrawn = MAX_UNDRAWN_CHARS + (place === null ? 0 : backlog.output.length);
    this.#queue.draw(parts);
    if (this.#hasEndedAgain) void this.#learn();
    await this.#queue.drawn();
    if (isOver()) return;
    this.#isReplaying = false;
    const isWhole = place !== null || backlog.output.split("\n").length < NEWEST_LINES;
    this.#options.onDrawn(isAccepted && isWhole);
    if (place !== null && this.#target === target) {
      this.#target = null;
      this.#options.onPlace(place.marker, place.note);
    }
    if (isWhole) {
      this.#refusals = 0;
      return;
    }
    await this.#drawWhole(isOver);
    if (!isOver()) this.#options.onDrawn(isAccepted);
  }

  /** Draws everything again, since nothing can be inserted above the drawn lines; the newest lines stay visible meanwhile. */
  async #drawWhole(isOver: () => boolean): Promise<void> {
    const { terminal } = this.#options;
    const join = new OutputJoin();
    this.#wholeJoin = join;
    const backlog = await this.#backlog(BACKLOG_LINES);
    const history = await this.#history();
    if (!isOver()) await this.#queue.drawn();
    if (isOver()) return;
    this.#wholeJoin = null;
    if (this.#isPaused) return;
    // Otherwise what is older than the newest lines would be missing: the host was replaced or lost between the two requests.
    if (backlog === null) return this.#retryLater();
    this.#refusals = 0;
    this.#isReplaying = true;
    this.#join = join;
    // Output that waited for the end of a run is part of the backlog.
    const isLearning = this.#held !== null;
    this.#held = null;
    const { baseY, viewportY } = terminal.buffer.active;
    this.#queue.draw([BEGIN_REDRAW, ...this.#partsOf(backlog, history), END_REDRAW]);
    if (isLearning) void this.#learn();
    await this.#queue.drawn();
    if (isOver()) return;
    terminal.scrollToBottom();
    terminal.scrollLines(viewportY - baseY);
    this.#isReplaying = false;
  }

  /** Draws again after a pause that doubles until the whole backlog was received, or earlier if the host returns. */
  #retryLater(): void {
    this.#retry = setTimeout(() => void this.replay(), Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** this.#refusals++));
  }

  /** Requests the backlog; null if it is not available. */
  async #backlog(lines: number, times = false) {
    const request = { type: "get_process_output", name: this.#options.name, lines, ...(times ? { times } : {}) } as const;
    const backlog = await this.#options.client.request(request).catch(() => null);
    return backlog?.type === "process_output_snapshot" ? backlog : null;
  }

  #partsOf(backlog: Backlog, history: RunHistory, place: TargetPlace | null = null): DrawnPart[] {
    this.#rules = new RunRules();
    this.#rules.learn(history);
    const text = this.#join.backlog(backlog);
    const end = this.#join.end ?? backlog;
    const { resized, stream_id } = backlog;
    const cuts: Cut[] = [];
    if (resized !== undefined && stream_id === end.stream_id) {
      const index = text.length - textOfLastBytes(text, end.offset - resized).length;
      if (index > 0) cuts.push({ index, part: WHOLE_SCREEN });
    }
    if (place !== null && place.index !== null) cuts.push({ index: place.index, part: place.mark });
    return partsBetween(cuts, { text, end, rules: this.#rules });
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    this.#queue.close();
    for (const end of this.#ends) end();
  }

  #live(text: string, end: OutputPlace): void {
    if (this.#held !== null) this.#held.push({ text, end });
    else this.#draw(this.#rules.place(text, end));
  }

  /** Called when a run has ended and all its output has arrived. Later output waits until the place of the run's end is known. */
  async #learn(): Promise<void> {
    let end = this.#join.end;
    this.#hasEndedAgain = this.#held !== null || end === null;
    if (this.#hasEndedAgain || end === null) return;
    const held: Held[] = [];
    this.#held = held;
    do {
      this.#hasEndedAgain = false;
      const known = held.length;
      const history = await this.#history();
      // A replay requests the history itself.
      if (this.#isClosed || this.#held !== held) return;
      this.#rules.learn(history);
      this.#draw(this.#rules.place("", end));
      // Runs may have ended in the output that arrived since the request.
      for (const piece of held.splice(0, this.#hasEndedAgain ? known : held.length)) {
        end = piece.end;
        this.#draw(this.#rules.place(piece.text, end));
      }
    } while (this.#hasEndedAgain);
    this.#held = null;
  }

  async #history(): Promise<RunHistory> {
    const detail = await this.#options
      .ask({ type: "request_process_detail", name: this.#options.name }, "process_detail")
      .catch(() => null);
    if (!detail?.ok) return { runs: [] };
    const { success_exit_codes: codes } = detail.definition;
    return { runs: detail.history, changes: detail.changes, ...(Array.isArray(codes) ? { successCodes: codes as number[] } : {}) };
  }

  #draw(parts: readonly OutputPart[]): void {
    if (parts.length === 0) return;
    this.#options.onEmpty(false);
    // Output arrives faster than a browser draws: only the newest output is worth drawing.
    if (this.#queue.undrawn > this.#maxUndrawn) void this.replay();
    else this.#queue.draw(parts);
  }
}
