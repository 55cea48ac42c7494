import { z } from "zod";
import type { Clock } from "../../base/timing/clock.ts";
import type { HostLogWriter, OutputChunk, OutputWindows } from "../../contract/messages.ts";
import type { HandedOver } from "../handover/handed-over.ts";
import { KernelTimes } from "../handover/kernel-times.ts";
import { KeptOutput, type KeptOutputOptions, keptOutputState } from "./kept/kept-output.ts";
import { LogFiles, logFilesState } from "./log-files.ts";
import { losslessReaders, OutputSender } from "./output-sender.ts";
import { placesOf, RingStore, ringsState } from "./ring-store.ts";
import { SharedBlocks } from "./shared-blocks.ts";

/** Name of the descriptor of the file that has the blocks of the rings. */
const BLOCKS_DESCRIPTOR = "output";

interface HostOutputOptions {
  readonly streamId: string;
  readonly clock: Clock;
  /** Maximum memory for the output of all processes, bytes. */
  readonly ringBudget: number | undefined;
  /** Folders that keep output for the next daemon; undefined: none. */
  readonly kept: KeptOutputOptions | undefined;
  readonly send: (chunk: OutputChunk) => void;
  /** Holds or resumes the program that writes the output `name`. */
  readonly hold: (name: string, held: boolean) => void;
  readonly log: HostLogWriter;
  /** The output of the program before this one. */
  readonly taken?: { readonly state: OutputState; readonly handedOver: HandedOver } | undefined;
}

export const outputState = z.object({
  rings: ringsState,
  kept: keptOutputState.nullable(),
  log_files: logFilesState,
  readers: losslessReaders,
});
export type OutputState = z.infer<typeof outputState>;

/** The output of all processes of a host: in rings, in files, and on its way to the manager. */
export class HostOutput {
  readonly rings: RingStore;
  readonly logFiles: LogFiles;
  /** Output kept for the next daemon; null: nothing is kept. */
  readonly kept: KeptOutput | null;
  readonly #clock: Clock;
  readonly #blocks: SharedBlocks;
  readonly #windows: OutputSender;
  /** Returns whether the output path has room; null: unlimited. */
  #hasRoom: (() => boolean) | null = null;

  constructor({ streamId, clock, ringBudget, kept, send, hold, log, taken }: HostOutputOptions) {
    this.#clock = clock;
    const blocksFile = taken?.handedOver.descriptors[BLOCKS_DESCRIPTOR];
    const warn = (msg: string) => log("warning", msg);
    this.#blocks = blocksFile === undefined ? new SharedBlocks(warn) : SharedBlocks.take(blocksFile, warn);
    this.rings = new RingStore(ringBudget, this.#blocks);
    if (taken !== undefined) {
      const { rings } = taken.state;
      const { bytes } = taken.handedOver;
      this.rings.take(rings, { shared: this.#blocks.claim(placesOf(rings)), bytes, times: new KernelTimes(clock) });
    }
    this.kept = kept === undefined ? null : new KeptOutput(kept, this.rings, warn, taken?.state.kept);
    this.logFiles = new LogFiles({ clock, log });
    this.logFiles.take(taken?.state.log_files ?? [], (name) => this.rings.find(name));
    this.#windows = new OutputSender({
      streamId,
      findRing: (name) => this.rings.find(name),
      origin: () => this.rings.origin,
      send,
      hold,
      hasRoom: () => this.#hasRoom?.() ?? true,
    });
  }

  /** Continues for lossless readers of the program before this one. Call it once runs can be held. */
  begin(taken: OutputState): void {
    this.#windows.take(taken.readers);
    this.logFiles.goOn();
  }

  /** Writes to no file until `resume`. */
  async quiet(): Promise<void> {
    await Promise.all([this.logFiles.quiet(), this.kept?.quiet()]);
  }

  handOver(): { state: OutputState; descriptors: HandedOver["descriptors"]; bytes: HandedOver["bytes"] } {
    const { state: rings, bytes } = this.rings.handOver(new KernelTimes(this.#clock));
    const kept = this.kept?.handOver() ?? null;
    const { descriptor } = this.#blocks;
    return {
      state: { rings, kept, log_files: this.logFiles.handOver(), readers: this.#windows.handOver() },
      descriptors: descriptor === null ? {} : { [BLOCKS_DESCRIPTOR]: descriptor },
      bytes,
    };
  }

  resume(): void {
    this.logFiles.goOn();
    this.kept?.resume();
  }

  open(windows: OutputWindows["windows"]): void {
    for (const window of windows) this.#windows.set(window);
  }

  closeWindows(): void {
    this.#windows.clear();
  }

  /** Output stays in its rings while `hasRoom` returns false; `roomAgain` signals that there is room again. */
  pace(hasRoom: (() => boolean) | null): void {
    this.#hasRoom = hasRoom;
    this.roomAgain();
  }

  roomAgain(): void {
    this.#windows.roomAgain();
  }

  /** Called when the ring of `name` has grown. */
  grown(name: string): void {
    this.#windows.grown(name);
    this.kept?.grown(name);
  }

  /** Sends the content of the ring of `name`, as far as its window allows. */
  pump(name: string): void {
    this.#windows.pump(name);
  }

  /** Called every second. */
  beat(): void {
    this.kept?.beat();
  }

  async close(): Promise<void> {
    await this.logFiles.close();
    await this.kept?.close();
    this.#blocks.close();
  }
}
