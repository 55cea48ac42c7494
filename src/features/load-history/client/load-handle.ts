import { filter, Observable } from "rxjs";
import { isWithin } from "../../../base/text/names.ts";
import type { Requester } from "../../../client/requests.ts";
import type { ManagerFrame } from "../../../protocol/frames/frames.ts";
import { formatTime } from "../../../protocol/time.ts";
import type { ProcessSeries } from "../series.ts";
import type { LoadFigures, ProcessLoadHistory } from "../wire.ts";

export type LoadSample = Extract<ManagerFrame, { type: "load_sample" }>;

/** A part of the past; without it, the last hour. */
export interface LoadRange {
  readonly from?: Date;
  readonly until?: Date;
  /** Most points of each series. */
  readonly points?: number;
  /** All by default. */
  readonly series?: readonly ProcessSeries[];
}

/** Number of subscriptions to each process or group, by connection. */
const subscribers = new WeakMap<Requester, Map<string, number>>();

/** Load of a process, or of each process of a group, now and in the past (docs/history.md). */
export class LoadHandle {
  readonly name: string;
  readonly #client: Requester;

  constructor(client: Requester, name: string) {
    this.#client = client;
    this.name = name;
  }

  /** The history of the process of this name, one entry for each host that has one. A process that was removed has one, too. */
  async history({ from, until, points, series }: LoadRange = {}): Promise<ProcessLoadHistory[]> {
    const { processes } = await this.#client.request({
      type: "request_load_history",
      names: [this.name],
      ...(from === undefined ? {} : { from: formatTime(from.getTime()) }),
      ...(until === undefined ? {} : { until: formatTime(until.getTime()) }),
      ...(points === undefined ? {} : { points }),
      ...(series === undefined ? {} : { series: [...series] }),
    });
    return processes;
  }

  /** The newest figures, at most 10 s old; null: the process does not run, or its host is away. */
  async newest(): Promise<LoadFigures | null> {
    const { processes } = await this.#client.request({ type: "request_newest_load", names: [this.name] });
    return processes[0]?.load ?? null;
  }

  /** A sample each second of the process, or of each process of the group, while there is a subscriber; also across reconnects. */
  get samples$(): Observable<LoadSample> {
    return new Observable((subscriber) => {
      const { name } = this;
      const isWanted = (frame: ManagerFrame): frame is LoadSample => frame.type === "load_sample" && isWithin(frame.name, name);
      const subscription = this.#client.events$.pipe(filter(isWanted)).subscribe(subscriber);
      if (this.#count(1) === 1) this.#client.request({ type: "subscribe_load", name }).catch((error: unknown) => subscriber.error(error));
      return () => {
        subscription.unsubscribe();
        // A connection that has ended has no subscriptions.
        if (this.#count(-1) === 0) this.#client.request({ type: "unsubscribe_load", name }).catch(() => undefined);
      };
    });
  }

  #count(change: number): number {
    const counts = subscribers.get(this.#client) ?? new Map<string, number>();
    subscribers.set(this.#client, counts);
    const count = (counts.get(this.name) ?? 0) + change;
    if (count === 0) counts.delete(this.name);
    else counts.set(this.name, count);
    return count;
  }
}
