import { randomUUID } from "node:crypto";
import { type Clock, pause } from "../../../base/timing/clock.ts";
import { lateSubjectOfTopic } from "../../../base/topics/topic-subject.ts";
import type { BrokerPort } from "../../../bus/broker/listeners/broker-port.ts";
import { LATE, LATE_INDEX } from "../../data-plane/late-headers.ts";
import type { KeptState } from "../contract.ts";
import type { KeptSample } from "./kept-sample.ts";
import type { LogWindow, SampleLog } from "./sample-log.ts";
import type { SampleStore } from "./sample-store.ts";

/** Bounds of the bytes that are sent before a confirmation is awaited. Larger ones would evict live samples from the queue of the link. */
const MIN_WINDOW_BYTES = 16 * 1024;
const MAX_WINDOW_BYTES = 256 * 1024;
/** A window that is confirmed within this time may grow, milliseconds. */
const SHORT_MS = 100;
/** Samples that were not confirmed within this time are sent again, milliseconds. */
const CONFIRM_MS = 10_000;
/** First and longest pause of a topic whose windows are not confirmed, milliseconds; the pauses grow. */
const FIRST_SILENCE_MS = 1_000;
const MAX_SILENCE_MS = 60_000;
/** Maximum number of topics whose pauses are remembered. */
const MAX_SILENT = 1_000;
/** Longest pause between windows, milliseconds. */
const MAX_PAUSE_MS = 30_000;
/** Interval in which a subscriber is searched for samples that none wants yet, milliseconds. */
const SEARCH_MS = 500;
const VERSION_LINE = "NATS/1.0\r\n";

interface FillerOptions {
  readonly port: Pick<BrokerPort, "subscribe" | "isWantedOverLinks" | "sendOverLinks">;
  readonly store: SampleStore;
  readonly clock: Clock;
  readonly log: (level: "info", msg: string) => void;
}

/** How fast kept samples are sent. */
export interface FillRate {
  /** Part of the link, from 0 to 1. */
  readonly share: number;
  /** Bytes per second; null: as measured. */
  readonly bandwidth: number | null;
}

/**
 * Sends kept samples over the link, in windows that a subscriber confirms, with pauses that leave the rest of the link to others. What was not
 * confirmed when the link is cut is sent again.
 */
export class Filler {
  rate: FillRate = { share: 1, bandwidth: null };
  readonly #options: FillerOptions;
  readonly #inbox = `_INBOX.${randomUUID()}`;
  readonly #unsubscribe: () => void;
  #run: AbortController | null = null;
  #window = MIN_WINDOW_BYTES;
  #round = 0;
  #confirmed: (round: string, text: string) => void = () => {};
  /** Topics whose last window was not confirmed, and when they are tried again. */
  readonly #silent = new Map<string, { readonly ms: number; readonly until: number }>();
  /** When the pause between two windows ends, by the monotonic clock, milliseconds. */
  #pausedUntil = 0;
  /** Samples that were confirmed since the filling began; null: it has not begun. */
  #filled: number | null = null;

  constructor(options: FillerOptions) {
    this.#options = options;
    this.#unsubscribe = options.port.subscribe(`${this.#inbox}.*`, ({ subject, data }) => {
      this.#confirmed(subject.slice(this.#inbox.length + 1), Buffer.from(data).toString("latin1"));
    });
  }

  /** The link is up. */
  begin(): void {
    if (this.#run !== null) return;
    this.#silent.clear();
    this.#run = new AbortController();
    void this.#fill(this.#run.signal);
  }

  /** The link is cut. */
  end(): void {
    this.#run?.abort();
    this.#run = null;
  }

  close(): void {
    this.end();
    this.#unsubscribe();
  }

  /** What the samples of a topic wait for, and how long, milliseconds; null: that is not known. */
  waitOf({ topic, count }: SampleLog): { readonly state: KeptState; readonly wait_ms: number | null } {
    const now = this.#options.clock.monotonic();
    const silence = this.#silent.get(topic);
    if (count === 0) return { state: "empty", wait_ms: null };
    if (this.#run === null) return { state: "link_cut", wait_ms: null };
    if (!this.#isWanted({ topic })) return { state: "no_subscriber", wait_ms: null };
    if (silence !== undefined) return { state: "unconfirmed", wait_ms: Math.max(0, silence.until - now) };
    return this.#pausedUntil > now ? { state: "share_used", wait_ms: this.#pausedUntil - now } : { state: "sending", wait_ms: null };
  }

  async #fill(signal: AbortSignal): Promise<void> {
    const { clock, store, port, log } = this.#options;
    while (!signal.aborted) {
      const wanted = store.waiting.filter(({ topic }) => port.isWantedOverLinks(lateSubjectOfTopic(topic)));
      if (wanted.length > 0 && this.#filled === null) {
        this.#filled = 0;
        log("info", `sending ${store.count} samples that were kept while the link was cut`);
      }
      const due = this.#dueOf(wanted);
      for (const each of due) if (!signal.aborted) await this.#sendWindow(each, signal);
      if (store.count === 0 && this.#filled !== null) {
        log("info", `sent ${this.#filled} samples that were kept while the link was cut; ${store.dropped} were dropped since the start`);
        this.#filled = null;
      }
      if (due.length === 0) await pause(clock, SEARCH_MS, signal).catch(() => undefined);
    }
  }

  /**
   * The topics of the next round: all whose last window was confirmed, and one of the others, so that subscribers that do not confirm delay other
   * topics by one time-out each round at most.
   */
  #dueOf(wanted: readonly SampleLog[]): readonly SampleLog[] {
    const now = this.#options.clock.monotonic();
    const isSilent = ({ topic }: SampleLog) => this.#silent.has(topic);
    const untilOf = ({ topic }: SampleLog) => this.#silent.get(topic)?.until ?? Number.POSITIVE_INFINITY;
    const again = wanted.filter((log) => untilOf(log) <= now).sort((one, other) => untilOf(one) - untilOf(other));
    return [...wanted.filter((log) => !isSilent(log)), ...again.slice(0, 1)];
  }

  /** The window of this topic was not confirmed. */
  #postpone({ topic }: SampleLog): void {
    const ms = Math.min(MAX_SILENCE_MS, 2 * (this.#silent.get(topic)?.ms ?? FIRST_SILENCE_MS / 2));
    if (this.#silent.size >= MAX_SILENT) this.#silent.clear();
    this.#silent.set(topic, { ms, until: this.#options.clock.monotonic() + ms });
  }

  async #sendWindow(log: SampleLog, signal: AbortSignal): Promise<void> {
    const { clock, store } = this.#options;
    const window = await store.read(log, this.#window);
    if (window.samples.length === 0 || signal.aborted) return;
    const begun = clock.monotonic();
    const round = String(++this.#round);
    const { sent, bytes } = this.#send(log, window, `${this.#inbox}.${round}`);
    if (sent === 0) {
      // It is larger than the hub accepts, or nothing wants it any more.
      if (this.#isWanted(log) && !signal.aborted) {
        log.drop(window.first + 1);
      }
      return;
    }
    const text = await this.#answer(round, signal);
    if (text === null) {
      this.#window = Math.max(MIN_WINDOW_BYTES, this.#window / 2);
      if (!signal.aborted) this.#postpone(log);
      return;
    }
    this.#silent.delete(log.topic);
    // A subscriber without numbers confirms all.
    const next = /^\d{1,15}$/.test(text) ? Math.min(Number(text), window.first + sent) : window.first + sent;
    const before = log.count;
    log.confirm(next);
    log.sent += before - log.count;
    this.#filled = (this.#filled ?? 0) + before - log.count;
    const elapsed = clock.monotonic() - begun;
    if (elapsed < SHORT_MS) this.#window = Math.min(MAX_WINDOW_BYTES, this.#window * 2);
    const { share, bandwidth } = this.rate;
    const rest = bandwidth === null ? elapsed * (1 / share - 1) : (bytes * 1_000) / (bandwidth * share) - elapsed;
    const pauseMs = Math.min(MAX_PAUSE_MS, Math.max(0, rest));
    this.#pausedUntil = clock.monotonic() + pauseMs;
    await pause(clock, pauseMs, signal).catch(() => undefined);
  }

  #isWanted({ topic }: Pick<SampleLog, "topic">): boolean {
    return this.#options.port.isWantedOverLinks(lateSubjectOfTopic(topic));
  }

  /** Sends a window up to the first sample that no link accepts; the last one asks for the confirmation. */
  #send(log: SampleLog, { first, samples }: LogWindow, reply: string): { sent: number; bytes: number } {
    const subject = lateSubjectOfTopic(log.topic);
    let sent = 0;
    let bytes = 0;
    let ask = () => {};
    for (const sample of samples) {
      const { headerBytes, message } = lateMessage(sample, `${log.id} ${first + sent} ${first}`);
      const isLast = sent === samples.length - 1;
      if (!this.#options.port.sendOverLinks(subject, message, { headerBytes, reply: isLast ? reply : null })) {
        // It is too large for the link: the one before it comes again, to ask.
        ask();
        break;
      }
      ask = () => void this.#options.port.sendOverLinks(subject, message, { headerBytes, reply });
      sent++;
      bytes += message.length;
    }
    return { sent, bytes };
  }

  /** Resolves with the text of the confirmation; null: there was none. */
  #answer(round: string, signal: AbortSignal): Promise<string | null> {
    const { clock } = this.#options;
    return new Promise((resolve) => {
      const finish = (text: string | null) => {
        clock.clearTimeout(timer);
        signal.removeEventListener("abort", cut);
        resolve(text);
      };
      const cut = () => finish(null);
      const timer = clock.setTimeout(cut, CONFIRM_MS);
      signal.addEventListener("abort", cut);
      this.#confirmed = (answered, text) => answered === round && finish(text);
    });
  }
}

/** The sample as it was published, with the headers that mark it as late. */
function lateMessage({ headers, payload, received }: KeptSample, index: string): { headerBytes: number; message: Buffer } {
  const published = Buffer.from(headers).toString("latin1");
  const own = published.startsWith(VERSION_LINE) ? published.slice(VERSION_LINE.length).replace(/\r\n$/, "") : "";
  // The first header of a name counts: a publisher may have sent others of the same names.
  const block = Buffer.from(`${VERSION_LINE}${LATE}: ${received}\r\n${LATE_INDEX}: ${index}\r\n${own}\r\n`, "latin1");
  return { headerBytes: block.length, message: Buffer.concat([block, payload]) };
}
