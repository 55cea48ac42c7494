import { MgrError } from "../../../base/errors.ts";
import { encodeFrame } from "../../../protocol/frames/encode.ts";
import type { EncodedFrame } from "../../../transport/event-batch.ts";
import { aboutHost, aboutProcess, type HandlerTable, perConnection } from "../../../transport/handlers/handler.ts";
import type { HiddenNames } from "../../../transport/hidden-names.ts";
import { contains, type ViewMode } from "../../../transport/view.ts";
import type { HistoryEvent } from "../event-wire.ts";
import type { loadHistoryCommands } from "../wire.ts";
import type { LoadHistory } from "./load-history.ts";
import type { LoadSample } from "./load-watches.ts";

/** Processes and groups that one connection may watch. */
const MAX_WATCHED = 200;

/** Each sample encoded once, whatever the number of connections that get it. */
const encoded = new WeakMap<LoadSample, EncodedFrame>();

export function loadHistoryHandlers(loads: LoadHistory): HandlerTable<keyof typeof loadHistoryCommands> {
  const watchedBy = perConnection(
    (context) => new Watched(loads, (frame) => context.push(frame), context.view),
    (watched) => watched.close(),
  );
  return {
    request_load_history: {
      kind: "request",
      answer: async ({ type: _type, request_id: _id, ...request }, { view }) => [
        { type: "load_history", ok: true, ...(await loads.history(request, view)) },
      ],
    },
    request_host_load_history: {
      kind: "request",
      about: aboutHost,
      answer: async ({ type: _type, request_id: _id, ...request }) => [
        { type: "host_load_history", ok: true, ...(await loads.hostHistory(request)) },
      ],
    },
    request_newest_load: {
      kind: "request",
      answer: async ({ type: _type, request_id: _id, ...request }, { view }) => [
        { type: "newest_load", ...(await loads.newest(request, view)) },
      ],
    },
    request_history_events: {
      kind: "request",
      answer: ({ type: _type, request_id: _id, ...request }, { view, hiddenNames }) => {
        const found = loads.events(request, view);
        const shown = hiddenNames === null ? {} : { events: found.events.map((each) => shownTo(hiddenNames, each)) };
        return [{ type: "history_events", ...found, ...shown }];
      },
    },
    request_memory_detail: {
      kind: "request",
      about: aboutProcess,
      answer: async ({ name }) => [{ type: "memory_detail", ok: true, name, ...(await loads.memory(name)) }],
    },
    subscribe_load: { kind: "command", run: ({ name }, context) => watchedBy(context).watch(name) },
    unsubscribe_load: { kind: "command", run: ({ name }, context) => watchedBy(context).unwatch(name) },
  };
}

/** The names that one connection watches. A process can be within several watched groups: its sample is sent once. */
class Watched {
  readonly #loads: Pick<LoadHistory, "watch">;
  readonly #push: (frame: EncodedFrame) => void;
  readonly #view: ViewMode;
  readonly #unsubscribers = new Map<string, () => void>();
  /** The newest sample of each process that was sent. */
  readonly #sent = new Map<string, LoadSample>();

  constructor(loads: Pick<LoadHistory, "watch">, push: (frame: EncodedFrame) => void, view: ViewMode) {
    this.#loads = loads;
    this.#view = view;
    this.#push = push;
  }

  /** Throws `busy` and `not_found`. */
  watch(name: string): void {
    if (this.#unsubscribers.has(name)) return;
    if (this.#unsubscribers.size >= MAX_WATCHED)
      throw new MgrError("busy", `this connection watches the load of ${MAX_WATCHED} processes and groups: unsubscribe from some first`);
    this.#unsubscribers.set(
      name,
      this.#loads.watch(name, (sample) => this.#send(sample)),
    );
  }

  unwatch(name: string): void {
    this.#unsubscribers.get(name)?.();
    this.#unsubscribers.delete(name);
    if (this.#unsubscribers.size === 0) this.#sent.clear();
  }

  close(): void {
    for (const unsubscribe of this.#unsubscribers.values()) unsubscribe();
    this.#unsubscribers.clear();
    this.#sent.clear();
  }

  #send(sample: LoadSample): void {
    // A user may see some members of a group only.
    if (this.#sent.get(sample.name) === sample || !contains(this.#view, sample.name)) return;
    this.#sent.set(sample.name, sample);
    this.#push(encode(sample));
  }
}

function shownTo(hidden: HiddenNames, event: HistoryEvent): HistoryEvent {
  const { text, change } = event;
  return { ...event, text: hidden.text(text), ...(change && { change: { ...change, reason: hidden.reason(change.reason) } }) };
}

function encode(sample: LoadSample): EncodedFrame {
  const known = encoded.get(sample);
  if (known) return known;
  const frame = { bytes: encodeFrame(sample), mergeKey: `load:${sample.host}:${sample.name}` };
  encoded.set(sample, frame);
  return frame;
}
