import type { DataPlaneEvent } from "./data-plane.ts";
import type { HostEvent, HostHeartbeat, HostLog, HostRequestName, OutputChunk, OutputWindows, RequestOf, ResponseOf } from "./messages.ts";
import type { RecordingEvent } from "./recording.ts";
import type { StreamFrame } from "./streams.ts";

export interface HostListener {
  onEvent?(event: HostEvent): void;
  onHeartbeat?(heartbeat: HostHeartbeat): void;
  onOutput?(chunk: OutputChunk): void;
  onLog?(entry: HostLog): void;
  onStream?(frame: StreamFrame): void;
  onDataPlane?(event: DataPlaneEvent): void;
  onRecording?(event: RecordingEvent): void;
}

/**
 * What manager and host say to each other. The host itself implements it (`daemon/host.ts`: the direct link of an
 * embedding program), and `bus/host-link.ts` carries it over the bus; one behavioural suite holds for both.
 *
 * Rejections are MgrError: `stale_session`, `not_running`, `conflict`, `busy`, `spawn_failed`, `bad_field`,
 * over the bus also `timeout` and `host_unavailable`.
 */
export interface HostLink {
  readonly host: string;
  /** Manager and host are in one process: neither can be silent without the other, so that no heartbeat has to prove that they are alive. */
  readonly isDirect?: boolean;
  request<N extends HostRequestName>(name: N, request: RequestOf<N>): Promise<ResponseOf<N>>;
  /** Fire and forget; repeated by the caller. Stale sessions are ignored. */
  window(windows: OutputWindows): void;
  /**
   * Fire and forget; may throw when it cannot be sent. What is lost is asked for again by the ends of the stream. Left
   * out by hosts that open no connections.
   */
  stream?(frame: StreamFrame): void;
  /** The manager lives and still holds `session`. */
  heartbeat(session: string): void;
  /** Several listeners may be there; returns the way to leave. */
  listen(listener: HostListener): () => void;
  close(): Promise<void>;
}
