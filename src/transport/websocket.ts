import type { WebSocket } from "ws";
import { openConnection } from "../actors/connection.ts";
import type { Control } from "../actors/control.ts";
import type { ActorSystem } from "../actors/system.ts";
import type { Principal } from "../base/access/principal.ts";
import { MAX_FRAME_BYTES } from "../protocol/frames/decode.ts";
import { EncodedProcesses } from "../protocol/frames/encoded-processes.ts";
import type { Process } from "../protocol/resources/resources.ts";
import { Audiences } from "./audience.ts";
import { Connection, type ConnectionServices } from "./connection.ts";
import { createDispatch } from "./dispatch.ts";
import { EventStreams } from "./event-streams.ts";
import { commandObserver, type ExtendsTransport, transportExtensions } from "./extension.ts";
import { type FrameStream, FrameWriter, JoinedFrames } from "./frame-writer.ts";
import { connectInProcess, type InProcessConnection, type InProcessOptions } from "./in-process.ts";
import { LogStreams } from "./log-streams.ts";
import { NewsSchedule } from "./news-schedule.ts";
import { InputOwners } from "./output/input-owners.ts";
import type { OutputHub } from "./output/output-hub.ts";
import { beforeOversizeClose } from "./oversize.ts";
import { RefusalLog } from "./refusal-log.ts";
import type { RequestedView } from "./view.ts";

export interface TransportOptions {
  readonly control: Control;
  /** Features that may add to connections. */
  readonly extensions: readonly ExtendsTransport[];
  readonly hub: OutputHub;
  readonly system: ActorSystem;
  /** Content hash of the web UI's files. */
  readonly assetHash: string;
  /** Maximum time in which a client reads none of its waiting frames, milliseconds, before it is closed with 1008; default 30,000. */
  readonly stallMs?: number | undefined;
}

/** Options for serving an upgraded socket. */
export interface AcceptOptions {
  readonly principal: Principal;
  readonly mode: RequestedView;
  /** The program that the client says it is. */
  readonly client: string | null;
  /** The client's `<ip>:<port>`. */
  readonly address: string;
  /** The connection under the WebSocket. */
  readonly socket: FrameStream;
}

export interface FrameCounters {
  received: number;
  sent: number;
}

interface ConnectionInfo {
  readonly id: number;
  readonly principal: Principal;
  readonly mode: RequestedView;
  readonly address: string;
  /** `reason` is cut to the maximum length in a close frame. */
  close(code: number, reason: string): void;
}

/** All WebSocket connections of the manager. */
export interface Transport {
  /** Serves a socket right after its upgrade. Its server must have WEBSOCKET_SERVER_OPTIONS. */
  accept(ws: WebSocket, options: AcceptOptions): void;
  /** A connection without a socket, for a program that embeds the manager. */
  connect(options: InProcessOptions): InProcessConnection;
  connections(): ConnectionInfo[];
  /** Frames of all WebSockets since the start. */
  readonly frames: Readonly<FrameCounters>;
  /** Closes every connection (1001 shutting down, 1012 restarting) and stops following the manager. */
  close(code: number, reason: string): void;
}

export function createTransport(options: TransportOptions): Transport {
  const { control, hub, system, assetHash, stallMs } = options;
  const extensions = transportExtensions(options.extensions);
  // Called before the streams are created, so that a process that appears is subscribed before its first frame.
  const unsubscribe = followProcesses(control, hub);
  const events = new EventStreams(control, (name) => hub.flush(name), extensions);
  const logs = new LogStreams(control.log);
  const services: ConnectionServices = {
    control,
    snapshotParts: extensions,
    encodedProcesses: new EncodedProcesses(),
    dispatch: createDispatch(extensions),
    hub,
    events,
    logs,
    audiences: new Audiences(events, logs),
    news: new NewsSchedule(),
    refusals: new RefusalLog(control.log, system.clock),
    observer: commandObserver(options.extensions),
    inputOwners: new InputOwners(),
    assetHash,
  };
  const open = new Map<number, ConnectionInfo>();
  const frames: FrameCounters = { received: 0, sent: 0 };
  const joined = new JoinedFrames();
  let lastId = 0;

  return {
    frames,
    accept(ws, options) {
      const id = ++lastId;
      ws.once("close", () => open.delete(id));
      open.set(id, serve({ ws, id, options, services, system, frames, joined, stallMs }));
    },
    connect: (options) => connectInProcess(services, options),
    connections: () => [...open.values()],
    close(code, reason) {
      for (const connection of open.values()) connection.close(code, reason);
      events.close();
      unsubscribe();
    },
  };
}

/** Keeps the hub's list of processes up to date: patterns match names that appear later. */
function followProcesses(control: Control, hub: OutputHub): () => void {
  const appeared = (process: Process) => {
    hub.processAppeared(process.name);
    hub.setMode(process.name, process);
  };
  for (const process of control.state.processes()) appeared(process);
  return control.events.subscribe((event) => {
    if (event.type === "process_upsert") appeared(event.process);
    if (event.type === "process_remove") hub.processGone(event.name);
  });
}

interface Serving {
  readonly ws: WebSocket;
  readonly id: number;
  readonly options: AcceptOptions;
  readonly services: ConnectionServices;
  readonly system: ActorSystem;
  readonly frames: FrameCounters;
  readonly joined: JoinedFrames;
  readonly stallMs: number | undefined;
}

function serve({ ws, id, options, services, system, frames, joined, stallMs }: Serving): ConnectionInfo {
  const { principal, mode, client, address, socket } = options;
  const connection = new Connection(services, {
    socket: new FrameWriter(ws, { stream: socket, joined, counters: frames }),
    observer: {
      congested: () => actor.send({ type: "congested" }),
      progress: () => actor.send({ type: "progress" }),
      drained: () => actor.send({ type: "drained" }),
      tooSlow: (reason) => actor.send({ type: "refuse", reason }),
      overflow: () => actor.send({ type: "refuse", reason: "too slow: more than 8 MiB of events are queued" }),
    },
    principal,
    client,
    view: mode,
  });
  const actor = openConnection(system, String(id), {
    ping: () => ws.ping(),
    close: (code, reason) => {
      connection.close();
      ws.close(code, reason);
    },
    terminate: () => ws.terminate(),
    stallMs,
  });
  const refuseOversize = () =>
    connection.refuse("too_large", `The frame is too large: at most ${MAX_FRAME_BYTES} bytes. The connection is closed.`);

  beforeOversizeClose(ws, refuseOversize);
  ws.on("message", (data: Buffer, isBinary) => {
    // A connection that is being closed (revoked session, full queue) accepts no more frames.
    if (ws.readyState !== ws.OPEN) return;
    frames.received++;
    if (data.length > MAX_FRAME_BYTES) ws.close(1009);
    else if (isBinary)
      connection.refuse("bad_frame", "Binary frames are not supported: send each frame as one JSON object in a text frame.");
    else connection.receive(data.toString());
  });
  ws.on("pong", () => actor.send({ type: "pong" }));
  // A protocol error of the peer (bad UTF-8, too large …): ws itself closes with the matching code.
  ws.on("error", (error) => services.control.log.debug(`web client ${address}: ${error.message}`));
  ws.once("close", () => {
    connection.close();
    actor.send({ type: "socket.closed" });
  });
  return { id, principal, mode, address, close: (code, reason) => actor.send({ type: "close", code, reason }) };
}
