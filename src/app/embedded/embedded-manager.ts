import type { Observable } from "rxjs";
import type { ActorKind, ActorKinds } from "../../actors/system.ts";
import type { GroupHandle } from "../../client/handles/group-handle.ts";
import type { HostHandle } from "../../client/handles/host-handle.ts";
import type { ProcessHandle } from "../../client/handles/process-handle.ts";
import type { FocusedView } from "../../client/link/connect-options.ts";
import type { ManagerClient } from "../../client/manager-client.ts";
import type { AnswerTo, RequestOptions } from "../../client/requests.ts";
import type { ConfigInput } from "../../config/schema/schema.ts";
import type { FeatureHandles } from "../../features/client.ts";
import type { ClientFrame, ManagerFrame } from "../../protocol/frames/frames.ts";
import type { LogEntry, Snapshot } from "../../protocol/resources/resources.ts";

/** The port of an embedded manager that was created with `listen`. */
export interface OpenPort {
  /** Base address, for example `http://localhost:34567`. */
  readonly url: string;
  /** A login for `connect` and for browsers; null if the configuration names an auth file of its own. */
  readonly login: { readonly user: string; readonly password: string } | null;
}

/**
 * A manager within this program. Disposing of it (`await using`, or `close`) ends everything that it started. Its handles and `connect` use the
 * same frames as the WebSocket, without a socket.
 */
export interface EmbeddedManager extends FeatureHandles, AsyncDisposable {
  /** The connection that the handles of this object use; it has the full view. */
  readonly client: ManagerClient;
  /** The open port; null without the option `listen`. */
  readonly port: OpenPort | null;
  /** URL at which any NATS client of this machine reaches the bus, token included; null without the option `bus`. */
  readonly busUrl: string | null;

  /** Every frame on `client`, answers included, in order. */
  readonly frames$: Observable<ManagerFrame>;
  /** Frames that are not answers: changes, subscribed output, log. */
  readonly events$: Observable<ManagerFrame>;
  /** New entries of the manager's log, from level `info` on. */
  readonly log$: Observable<LogEntry>;

  /** A handle of one process. Throws `not_found`. */
  process(name: string): ProcessHandle;
  /** A handle of a group and all processes below it. Throws `not_found`. */
  group(name: string): GroupHandle;
  /** A handle of a host, by any of its names; the one of this program by default. Throws `not_found`. */
  host(name?: string): HostHandle;

  /** The whole state at one moment. */
  snapshot(): Promise<Snapshot>;
  /** Sends a frame and resolves with its answer; rejects with MgrError. See `ManagerClient.request`. */
  request<F extends ClientFrame>(frame: F, options?: RequestOptions): Promise<AnswerTo<F>>;
  /** Sends a frame and waits for nothing; false once this manager has been disposed. */
  send(frame: ClientFrame): boolean;
  /** Opens another connection, as a WebSocket would be, with the full or a focused view. Throws `not_found` for an unknown name. */
  connect(view?: FocusedView): ManagerClient;

  /**
   * Applies another configuration as `mgr reload` does: unchanged processes keep running. Without an argument, the file is read again. Rejects with
   * `bad_field` and every problem; then nothing has changed.
   */
  reload(config?: ConfigInput): Promise<AnswerTo<{ type: "reload_config" }>>;
  /** Stops all processes in reverse order, each as configured; resolves when none is alive. */
  stopAll(): Promise<void>;
  /** The actor behind a name: an xstate actor, for snapshots and inspection. Throws `not_found`. */
  actor<K extends ActorKind>(kind: K, name: string): ActorKinds[K];

  /** Disposes of this manager where `await using` is not available. Kills processes that still run. */
  close(): Promise<void>;
}
