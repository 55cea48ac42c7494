import type { AnswerOf, FrameOf } from "../../../protocol/frames/frames.ts";
import type { ViewMode } from "../../../transport/view.ts";
import type { LoadSample } from "./load-watches.ts";

export type HistoryRequest = Omit<FrameOf<"request_load_history">, "type" | "request_id">;
export type HostHistoryRequest = Omit<FrameOf<"request_host_load_history">, "type" | "request_id">;
export type NewestRequest = Omit<FrameOf<"request_newest_load">, "type" | "request_id">;
export type History = Pick<Extract<AnswerOf<"request_load_history">, { ok: true }>, "processes" | "away">;
export type HostHistory = Pick<
  Extract<AnswerOf<"request_host_load_history">, { ok: true }>,
  "host" | "start" | "step" | "resolution" | "oldest" | "series"
>;
export type EventsRequest = Omit<FrameOf<"request_history_events">, "type" | "request_id">;
export type Events = Pick<AnswerOf<"request_history_events">, "events" | "left_out" | "oldest">;
export type Memory = Omit<Extract<AnswerOf<"request_memory_detail">, { ok: true }>, "type" | "ok" | "name" | "request_id">;
export type Newest = Pick<AnswerOf<"request_newest_load">, "processes" | "away">;

/** Load of processes and machines, now and in the past, on all hosts. */
export interface LoadHistory {
  /** Rejects with `bad_field` for a range that ends before it begins. */
  history(request: HistoryRequest, view: ViewMode): Promise<History>;
  hostHistory(request: HostHistoryRequest): Promise<HostHistory>;
  newest(request: NewestRequest, view: ViewMode): Promise<Newest>;
  /** The events of a range, as the log has them. Throws `bad_field`, and `not_found` for an unknown host. */
  events(request: EventsRequest, view: ViewMode): Events;
  /** Proportional memory of a process. Rejects with `not_found`, `not_running` and `host_unavailable`. */
  memory(name: string): Promise<Memory>;
  /** Calls back with each sample of a process or group until the returned function is called. Throws `not_found`. */
  watch(name: string, sampled: (sample: LoadSample) => void): () => void;
}
