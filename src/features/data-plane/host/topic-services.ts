import type { Clock } from "../../../base/clock.ts";
import type { Publisher } from "../../../base/publisher.ts";
import type { HostListener } from "../../../contract/host-link.ts";
import type { HostHeartbeat, HostLog } from "../../../contract/messages.ts";
import type { HostOptions } from "../../../daemon/host-options.ts";
import { Rings } from "../../loggers/host/rings.ts";
import { Recorder } from "../../recordings/host/recorder.ts";
import { RegistryReport } from "./registry-report.ts";
import { Tap } from "./tap.ts";

interface TopicServicesOptions extends Pick<HostOptions, "host" | "bus" | "recordings"> {
  readonly clock: Clock;
  readonly log: (level: HostLog["level"], msg: string) => void;
  readonly publisher: Publisher<(listener: HostListener) => void>;
}

/** The parts of a host that need its broker. Each is null if the host does not have it. */
export class TopicServices {
  readonly clients: RegistryReport | null = null;
  readonly recorder: Recorder | null = null;
  readonly loggers: Rings | null = null;

  constructor({ host, bus, recordings, clock, log, publisher }: TopicServicesOptions) {
    if (bus === undefined) return;
    this.clients = new RegistryReport(bus.registry, {
      clock,
      send: (event) => publisher.publish((listener) => listener.onDataPlane?.(event)),
    });
    const tap = new Tap(bus.registry, (msg) => log("error", msg));
    this.loggers = new Rings({ tap, memory: bus.broker.memory, warn: (msg) => log("warning", msg) });
    if (recordings === undefined) return;
    this.recorder = new Recorder({ ...recordings, host, tap, clock, log });
    this.recorder.listen((event) => publisher.publish((listener) => listener.onRecording?.(event)));
  }

  /** Resolves when messages that programs publish from then on are recorded. Never rejects. */
  get ready(): Promise<void> {
    return this.recorder?.resumed ?? Promise.resolve();
  }

  /** Numbers of the last changes of their tables, for heartbeats. */
  get seqs(): Pick<HostHeartbeat, "data_seq" | "record_seq"> {
    return {
      ...(this.clients === null ? {} : { data_seq: this.clients.seq }),
      ...(this.recorder === null ? {} : { record_seq: this.recorder.seq }),
    };
  }

  async close(): Promise<void> {
    this.clients?.close();
    this.loggers?.close();
    await this.recorder?.close();
  }
}
