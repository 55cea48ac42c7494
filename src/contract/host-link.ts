import type {
  HostEvent,
  HostHeartbeat,
  HostLog,
  HostNews,
  HostRequestName,
  OutputChunk,
  OutputWindows,
  RequestOf,
  ResponseOf,
} from "./messages.ts";
import type { StreamFrame } from "./streams.ts";

export interface HostListener {
  onEvent?(event: HostEvent): void;
  onHeartbeat?(heartbeat: HostHeartbeat): void;
  onOutput?(chunk: OutputChunk): void;
  onLog?(entry: HostLog): void;
  onStream?(frame: StreamFrame): void;
  /** Receivers of the messages of features. */
  readonly onNews?: { readonly [K in keyof HostNews]?: (news: HostNews[K]) => void };
}

/**
 * The requests and events between manager and host. The host itself implements it (`daemon/host.ts`, used directly by an embedding
 * program), and `bus/host-link` carries it over the bus. One behavioural suite covers both. Rejections are MgrError: `stale_session`,
 * `not_running`, `conflict`, `busy`, `spawn_failed`, `bad_field`, over the bus also `timeout` and `host_unavailable`.
 */
export interface HostLink {
  readonly host: string;
  /** Whether manager and host are in one process: no heartbeats are needed, because neither can stop without the other. */
  readonly isDirect?: boolean;
  request<N extends HostRequestName>(name: N, request: RequestOf<N>): Promise<ResponseOf<N>>;
  /** Sends output windows. There is no answer; the caller repeats them. Stale sessions are ignored. */
  window(windows: OutputWindows): void;
  /**
   * Sends a frame of a stream; may throw if it cannot be sent. The ends of the stream request lost frames again. Omitted by hosts that open no
   * connections.
   */
  stream?(frame: StreamFrame): void;
  /** Reports that the manager is alive and still holds `session`. */
  heartbeat(session: string): void;
  /** Adds a listener; returns the function that removes it. */
  listen(listener: HostListener): () => void;
  close(): Promise<void>;
}
