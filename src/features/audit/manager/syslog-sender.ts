import { createSocket, type Socket } from "node:dgram";
import { isIPv6 } from "node:net";
import { hostname } from "node:os";
import { messageOf } from "../../../base/errors.ts";
import { ThrottledWarning } from "../../../base/throttled-warning.ts";
import { UnixDatagramSocket } from "../../../daemon/native/unix-datagram.ts";
import type { LogBook } from "../../../log/log-book.ts";
import { syslogTarget } from "../syslog-target.ts";
import { openSeal } from "../trail/chain.ts";
import { recordIn } from "../trail/records.ts";

/** Facility "log audit" (13), severity "informational" (6) and "notice" (5) for refusals: RFC 5424, 6.2.1. */
const ACCEPTED = 13 * 8 + 6;
const REFUSED = 13 * 8 + 5;
/** Longest name of a program: RFC 5424, 6.2.5. */
const MAX_APP_NAME = 48;
/** Longest message, bytes: of a longer record only what names it is sent. */
const MAX_MESSAGE_BYTES = 8_192;
/** Datagrams that wait for the network at most. */
const MAX_PENDING = 1_000;

interface SyslogOptions {
  /** As in the configuration; null: nothing is sent. */
  readonly target: () => string | null;
  readonly instance: string;
  readonly log: Pick<LogBook, "warn">;
}

interface Channel {
  readonly target: string;
  /** False: the datagram was dropped. */
  send(datagram: Buffer): boolean;
  close(): void;
}

/** Sends each record to syslog. Never waits: datagrams that cannot be sent are dropped and counted. */
export class SyslogSender {
  readonly #options: SyslogOptions;
  readonly #warning: ThrottledWarning;
  #channel: Channel | null = null;

  constructor(options: SyslogOptions) {
    this.#options = options;
    this.#warning = new ThrottledWarning((_level, msg) => options.log.warn(msg));
  }

  /** Number of records that were not sent. */
  get dropped(): number {
    return this.#warning.count;
  }

  /** `line` is a line of the trail without its end. */
  send(line: string): void {
    const target = this.#options.target();
    if (this.#channel !== null && this.#channel.target !== target) this.close();
    if (target === null) return;
    try {
      this.#channel ??= this.#open(target);
      if (!this.#channel.send(Buffer.from(syslogMessage(line, this.#options.instance)))) this.#dropped(target, "it receives too slowly");
    } catch (error) {
      // The receiver is opened again for the next record.
      this.close();
      this.#dropped(target, messageOf(error));
    }
  }

  close(): void {
    this.#channel?.close();
    this.#channel = null;
  }

  #dropped(target: string, reason: string): void {
    this.#warning.warn(`a record of the audit was not sent to ${target}: ${reason}`);
  }

  #open(target: string): Channel {
    const place = syslogTarget(target);
    if (place === null) throw new Error("it is no address of a syslog");
    if (!("path" in place)) return this.#openPort(target, place);
    const socket = new UnixDatagramSocket(place.path);
    return { target, send: (datagram) => socket.send(datagram), close: () => socket.close() };
  }

  #openPort(target: string, { host, port }: { host: string; port: number }): Channel {
    const socket: Socket = createSocket(isIPv6(host) ? "udp6" : "udp4");
    let pending = 0;
    let isClosing = false;
    socket.unref();
    socket.on("error", (error) => this.#dropped(target, error.message));
    return {
      target,
      send: (datagram) => {
        if (pending >= MAX_PENDING) return false;
        pending++;
        socket.send(datagram, port, host, (error) => {
          pending--;
          if (error) this.#dropped(target, error.message);
          if (isClosing && pending === 0) socket.close();
        });
        return true;
      },
      // The newest datagrams are still on their way to the socket.
      close: () => {
        isClosing = true;
        if (pending === 0) socket.close();
      },
    };
  }
}

/** A message of RFC 5424. Its text is the line, whose HMAC shows which lines of the trail are missing or were changed. */
export function syslogMessage(line: string, instance: string): string {
  const record = recordIn(line);
  const isRefusal = record?.event === "refused" || record?.event === "denied";
  const app = `mgr-${instance}`.slice(0, MAX_APP_NAME);
  const time = record === null ? "-" : `${record.time}Z`;
  const text = Buffer.byteLength(line) <= MAX_MESSAGE_BYTES ? line : shortened(line);
  return `<${isRefusal ? REFUSED : ACCEPTED}>1 ${time} ${hostname().slice(0, 255) || "-"} ${app} ${process.pid} audit - ${text}`;
}

function shortened(line: string): string {
  const { args: _args, message: _message, ...record } = { args: null, message: null, ...recordIn(line) };
  return JSON.stringify({ ...record, mac: openSeal(line)?.mac, left_out: "args" });
}
