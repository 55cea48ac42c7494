import { messageOf } from "../../../../../src/base/errors.ts";
import { OutputJoin } from "../../../../../src/client/output-join.ts";
import { inOrder, type PastOutput } from "../../../../../src/client/past-output.ts";
import type { ManagerFrame } from "../../../../../src/protocol/frames/frames.ts";
import { client } from "../../../state/store.ts";
import { millisecondsOf } from "../../../ui/time.ts";
import { LineSplitter } from "./line-splitter.ts";
import type { NewLine } from "./merged-lines.ts";

/** Number of past lines in all, and of one process. */
const PAST_LINES = 16_000;
const MAX_PAST_LINES = 2_000;
const MIN_PAST_LINES = 20;
/** Maximum live output that waits for past output, characters; what is beyond it is left out. */
const MAX_WAITING = 8_000_000;

type Backlog = Pick<Extract<ManagerFrame, { type: "process_output_snapshot" }>, "output" | "offset" | "stream_id" | "times">;
const NO_BACKLOG: Backlog = { output: "", offset: 0, stream_id: "" };
type LiveFrame = Extract<ManagerFrame, { type: "process_output" }>;

interface Options {
  readonly names: readonly string[];
  readonly onLines: (lines: readonly NewLine[]) => void;
  /** Called once: past output is there, except of these processes. */
  readonly onLoaded: (missing: readonly { name: string; reason: string }[]) => void;
}

interface Joined {
  readonly join: OutputJoin;
  readonly splitter: LineSplitter;
}

/** The output of several processes as lines: what their hosts have in memory, in the order of time, then what comes. */
export class MergedSource {
  readonly #options: Options;
  readonly #processes: ReadonlyMap<string, Joined>;
  readonly #subscriptions: { unsubscribe(): void }[];
  /** Live output that waits until past output is there; null: it is. */
  #waiting: { frame: LiveFrame; time: number }[] | null = [];
  #waitingLength = 0;
  #isClosed = false;

  constructor(options: Options) {
    this.#options = options;
    const { names } = options;
    this.#processes = new Map(names.map((name) => [name, { join: new OutputJoin(), splitter: new LineSplitter() }]));
    // Subscribed before the request, so that nothing is missed in between.
    this.#subscriptions = names.map((name) => client.output$(name).subscribe((frame) => this.#receive(frame)));
    void this.#load();
  }

  close(): void {
    this.#isClosed = true;
    for (const subscription of this.#subscriptions) subscription.unsubscribe();
  }

  async #load(): Promise<void> {
    const { names, onLines, onLoaded } = this.#options;
    const lines = Math.max(MIN_PAST_LINES, Math.min(MAX_PAST_LINES, Math.floor(PAST_LINES / Math.max(1, names.length))));
    const missing: { name: string; reason: string }[] = [];
    const past = await Promise.all(
      names.map(async (name): Promise<PastOutput> => {
        const backlog = await client.request({ type: "get_process_output", name, lines, times: true }).catch((error: unknown) => {
          missing.push({ name, reason: messageOf(error) });
          return NO_BACKLOG;
        });
        const text = this.#processes.get(name)?.join.backlog(backlog) ?? "";
        return { name, text, offset: backlog.offset, times: backlog.times ?? [] };
      }),
    );
    if (this.#isClosed) return;
    onLines(inOrder(past).flatMap(({ name, text, time }) => this.#lines(name, text, time === "" ? null : millisecondsOf(time))));
    const waiting = this.#waiting ?? [];
    this.#waiting = null;
    for (const { frame, time } of waiting) this.#show(frame, time);
    onLoaded(missing);
  }

  #receive(frame: LiveFrame): void {
    const time = Date.now();
    if (this.#waiting === null) {
      this.#show(frame, time);
      return;
    }
    this.#waitingLength += frame.output.length;
    if (this.#waitingLength <= MAX_WAITING) this.#waiting.push({ frame, time });
  }

  #show(frame: LiveFrame, time: number): void {
    const process = this.#processes.get(frame.name);
    const fresh = process?.join.live(frame) ?? "";
    const { name, skipped } = frame;
    const lines: NewLine[] = [];
    if (skipped !== undefined && fresh !== "") {
      process?.splitter.skip();
      lines.push({ name, time, text: `… ${skipped} bytes skipped: they came faster than they could be shown …`, isGap: true });
    }
    lines.push(...this.#lines(name, fresh, time));
    if (lines.length > 0) this.#options.onLines(lines);
  }

  #lines(name: string, output: string, time: number | null): NewLine[] {
    const lines = this.#processes.get(name)?.splitter.write(output) ?? [];
    return lines.map((text) => ({ name, time, text, isGap: false }));
  }
}
