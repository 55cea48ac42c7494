import { z } from "zod";
import { MgrError } from "../../base/errors.ts";
import type { WarningLog } from "../../base/throttled-warning.ts";
import { ThrottledWarning } from "../../base/throttled-warning.ts";
import type { HostLink } from "../../contract/host-link.ts";
import { HOST_REQUESTS, type HostRequestName, MAX_MESSAGE_BYTES, outputWindows, type RequestOf } from "../../contract/messages.ts";
import { hostSubject } from "../../contract/subjects.ts";
import { HOST_NEWS } from "../../features/contract.ts";
import type { BusMessage } from "../broker/bus-message.ts";
import type { Bus } from "../client/bus.ts";
import { answerProcedure } from "../client/rpc.ts";
import { encodeError, jsonOf } from "../client/rpc-envelope.ts";
import { decodeStreamFrame, encodeStreamFrame } from "../streams/stream-codec.ts";
import { encodeChunkHead } from "./output-codec.ts";
import { OutputRoutes } from "./output-routes.ts";

export interface ServeHostOptions {
  /** Commands, events, heartbeats, log lines: small and in order. */
  readonly control: Bus;
  /** Output, except chunks that bypass a flood (OutputRoutes), so that no command waits behind it. */
  readonly bulk: Bus;
  readonly host: ServedHost;
  readonly log?: WarningLog;
}

interface ServedHost extends HostLink {
  /** Makes the host send a heartbeat now. */
  announce?(): void;
  /** Called when the connection for commands has ended. */
  linkLost?(): void;
  /** Holds output back while `hasRoom` returns false, until `outputRoom` is called; null: never. */
  paceOutput?(hasRoom: (() => boolean) | null): void;
  outputRoom?(): void;
}

/**
 * Maximum number of unsent output bytes; further output stays in its ring. The limit is the same for one flood or several. With a smaller
 * one, a reader that finds little at each read needs 50 % more processor time for the same bytes.
 */
const ROOM_BYTES = 512 * 1024;

const alive = z.object({ session: z.string() });

/** The daemon's end of the link: puts `host` onto the bus until it is closed. It owns neither host nor connections. */
export function serveHost(options: ServeHostOptions): { close(): void } {
  const { control, bulk, host, log = () => {} } = options;
  const subjects = new Map<string, string>();
  const subject = (leaf: string) => {
    const known = subjects.get(leaf) ?? hostSubject(host.host, leaf);
    subjects.set(leaf, known);
    return known;
  };
  const outputSubject = subject("output");
  const streamSubject = subject("stream");
  const outputRoutes = new OutputRoutes();
  const malformed = new ThrottledWarning(log);
  const unsent = new ThrottledWarning(log);

  const attempt = (bus: Bus, leaf: string, send: () => void) => {
    // The loss of the link was already reported; the manager requests missed messages.
    if (!bus.isConnected) return;
    try {
      send();
    } catch (error) {
      // Nothing is lost for good: the manager detects missing events by their seq, and requests output again by its offset.
      unsent.warn(`'${leaf}' of host '${host.host}' was not sent: ${String(error)}`);
    }
  };
  const say = (leaf: string, message: object) =>
    attempt(control, leaf, () => {
      const body = JSON.stringify(message);
      if (body.length > MAX_MESSAGE_BYTES) throw new Error(`it has ${body.length} bytes, the limit is ${MAX_MESSAGE_BYTES}`);
      control.publish(subject(leaf), body);
    });
  const receive = <T>(leaf: string, schema: z.ZodType<T>, handle: (value: T) => void) =>
    control.subscribe(subject(leaf), (message) => {
      const parsed = schema.safeParse(jsonOf(message.data));
      if (parsed.success) handle(parsed.data);
      else malformed.warn(`a malformed '${leaf}' for host '${host.host}' was dropped`);
    });
  const answer = (message: BusMessage) => {
    const name = message.subject.slice(message.subject.lastIndexOf(".") + 1);
    if (!isRequestName(name)) {
      malformed.warn(`an unknown request '${name}' for host '${host.host}' was refused`);
      const { reply } = message;
      const refusal = `host '${host.host}' does not know the request '${name}': its version of mgr is older than the manager's; update it`;
      if (reply) attempt(control, name, () => control.publish(reply, encodeError(new MgrError("unknown_action", refusal))));
      return;
    }
    // The host checks its requests, whatever carries them.
    const handle = async (request: unknown) => host.request(name, request as RequestOf<typeof name>);
    void answerProcedure(control, message, { handle, log });
  };

  // One subscription for all requests: they are carried out in the order in which they were sent.
  const subscriptions = [
    control.subscribe(subject("do.*"), answer),
    receive("window", outputWindows, (windows) => host.window(windows)),
    bulk.subscribe(subject("to_stream"), ({ data }) => {
      const frame = decodeStreamFrame(data);
      if (frame) host.stream?.(frame);
      else malformed.warn(`a malformed 'to_stream' for host '${host.host}' was dropped`);
    }),
    receive("alive", alive, ({ session }) => host.heartbeat(session)),
  ];
  const unsubscribe = [
    host.listen({
      onEvent: (event) => say("event", event),
      onHeartbeat: (beat) => say("heartbeat", beat),
      onNews: Object.fromEntries(Object.keys(HOST_NEWS).map((name) => [name, (news: object) => say(name, news)])),
      onLog: (entry) => say("log", entry),
      onOutput: (chunk) => {
        const bus = outputRoutes.mayPass(chunk) ? control : bulk;
        attempt(bus, "output", () => bus.publishBulk(outputSubject, [encodeChunkHead(chunk), chunk.data]));
      },
      onStream: (frame) => attempt(bulk, "stream", () => bulk.publish(streamSubject, encodeStreamFrame(frame))),
    }),
    control.onConnection((isConnected) => {
      if (isConnected) host.announce?.();
      else host.linkLost?.();
    }),
    bulk.onDrained(() => host.outputRoom?.()),
    // A lost connection drops its unsent output, which the manager requests again by its offset.
    bulk.onConnection(() => host.outputRoom?.()),
    () => host.paceOutput?.(null),
  ];
  host.paceOutput?.(() => bulk.unsent < ROOM_BYTES || !bulk.isConnected);
  // "At once when it has connected" (contract/messages.ts): a manager that reconnects need not wait for the next beat.
  host.announce?.();
  return {
    close() {
      for (const go of unsubscribe) go();
      for (const subscription of subscriptions) subscription.unsubscribe();
    },
  };
}

function isRequestName(name: string): name is HostRequestName {
  return Object.hasOwn(HOST_REQUESTS, name);
}
