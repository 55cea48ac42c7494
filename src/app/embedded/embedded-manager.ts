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
  /** A login for `connect` and for browsers; null where the configuration names an auth file of its own. */
  readonly login: { readonly user: string; readonly password: string } | null;
}

/**
 * A manager within this program. Dispose of it (`await using`, or `close`), and everything that it started is gone. Its
 * handles and `connect` speak the very frames of the WebSocket, without a socket.
 */
export interface EmbeddedManager extends FeatureHandles, AsyncDisposable {
  /** The connection that the handles of this object use, of the whole view. */
  readonly client: ManagerClient;
  /** Null unless `listen` was asked for. */
  readonly port: OpenPort | null;
  /** Where any NATS client of this machine comes to the bus, token included; null unless `bus` was asked for. */
  readonly busUrl: string | null;

  /** Every frame on `client`, answers included, in order. */
  readonly frames$: Observable<ManagerFrame>;
  /** Frames that come by themselves: changes, output that was subscribed, log. */
  readonly events$: Observable<ManagerFrame>;
  /** New entries of the manager's log, from level `info` on. */
  readonly log$: Observable<LogEntry>;

  /** A handle of one process. Throws `not_found`. */
  process(name: string): ProcessHandle;
  /** A handle of a group and all processes below it. Throws `not_found`. */
  group(name: string): GroupHandle;
  /** A handle of a host, by any of its names; the one of this program by default. Throws `not_found`. */
  host(name?: string): HostHandle;

  /** Everything at one moment. */
  snapshot(): Promise<Snapshot>;
  /** Sends a frame and resolves with its answer; rejects with MgrError. See `ManagerClient.request`. */
  request<F extends ClientFrame>(frame: F, options?: RequestOptions): Promise<AnswerTo<F>>;
  /** Sends a frame and waits for nothing; false once this manager has been disposed. */
  send(frame: ClientFrame): boolean;
  /** One more connection, as a WebSocket would be, of the whole or of a focused view. Throws `not_found` for an unknown name. */
  connect(view?: FocusedView): ManagerClient;

  /**
   * Takes another configuration as `mgr reload` does: what is unchanged runs on. Without one its file is read again.
   * Rejects with `bad_field` and every problem; then nothing has changed.
   */
  reload(config?: ConfigInput): Promise<AnswerTo<{ type: "reload_config" }>>;
  /** Stops everything in reverse order, as each process wants to be stopped; resolves when nothing is alive. */
  stopAll(): Promise<void>;
  /** The actor behind a name: an xstate actor, for snapshots and inspection. Throws `not_found`. */
  actor<K extends ActorKind>(kind: K, name: string): ActorKinds[K];

  /** The same as disposal, for where `await using` is not known. What still runs is killed. */
  close(): Promise<void>;
}
