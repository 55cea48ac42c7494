import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TapListener, TappedMessage } from "../../../../src/features/data-plane/host/tap.ts";
import type { RecordingSpec } from "../../../../src/features/recordings/contract.ts";
import type { RecordedClock } from "../../../../src/features/recordings/host/clock-records.ts";
import { Recording, type RecordingOptions } from "../../../../src/features/recordings/host/recording.ts";
import { SimulatedClock } from "../../../../src/testing/simulated-clock.ts";
import { readMcap } from "../samples/mcap/independent-reader.ts";

export const INSTANCE = "0f3a9c1b-1111-4222-8333-444455556666";

export const SPEC: RecordingSpec = {
  name: "trial",
  topics: ["*"],
  terminals: [],
  include: [],
  path: null,
  max_size: 64 * 1024 * 1024,
  max_duration_ms: null,
  max_files: 10,
  min_free_space: 0,
  on_full: "stop",
};

/** A clock of a host that a test sets; the manager has not said anything about it. */
export class FakeOwnClock implements RecordedClock {
  told = 0;
  timesSet = 0;
  setBy = 0n;
  known: ReturnType<RecordedClock["now"]> = null;

  now(): ReturnType<RecordedClock["now"]> {
    return this.known;
  }
}

/** A recording that is fed by hand, on a simulated clock, into a folder of its own. */
export class RecordingRig implements Disposable {
  readonly folder: string;
  readonly clock = new SimulatedClock();
  readonly ownClock = new FakeOwnClock();
  readonly logged: string[] = [];
  /** Called for each entry of the log, before the recording goes on. */
  onLog = (): void => {};
  readonly recording: Recording;
  readonly #listeners = new Set<TapListener>();
  #time = 1_700_000_000_000_000_000n;

  constructor(
    spec: Partial<RecordingSpec> = {},
    options: Partial<RecordingOptions> = {},
    folder = mkdtempSync(join(tmpdir(), "mgr-recording-")),
  ) {
    this.folder = folder;
    const tap = {
      add: (_pattern: string, listener: TapListener) => {
        this.#listeners.add(listener);
        return () => void this.#listeners.delete(listener);
      },
    };
    this.recording = new Recording({ ...SPEC, ...spec }, this.folder, {
      host: "rt1",
      instance: INSTANCE,
      tap,
      clock: this.clock,
      ownClock: this.ownClock,
      log: (level, msg) => {
        this.logged.push(`${level}: ${msg}`);
        this.onLog();
      },
      changed: () => {},
      ...options,
    });
  }

  async start(): Promise<void> {
    await this.recording.start(this.recording.spec);
  }

  publish(message: Partial<TappedMessage> = {}): void {
    this.#time += 1_000_000n;
    const whole = {
      topic: "arm/state",
      definition: "",
      definitionName: "",
      encoding: "json",
      received: this.#time,
      published: null,
      sequence: null,
      payload: Buffer.from("{}"),
      ...message,
    };
    for (const listener of this.#listeners) listener(whole, "");
  }

  files(): string[] {
    return readdirSync(this.folder)
      .filter((name) => name.endsWith(".mcap"))
      .sort();
  }

  read(file = this.files().at(-1) ?? "") {
    return readMcap(readFileSync(join(this.folder, file)));
  }

  [Symbol.dispose](): void {
    this.recording.folder.release();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
