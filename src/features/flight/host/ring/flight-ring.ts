import type { WarningLog } from "../../../../base/throttled-warning.ts";
import type { Clock } from "../../../../base/timing/clock.ts";
import type { KernelTimes } from "../../../../daemon/handover/kernel-times.ts";
import type { FlightRing as RingReport } from "../../contract.ts";
import { DiskRing, type DiskRingOptions } from "./disk-ring.ts";
import { MemoryRing, type RingBounds } from "./memory-ring.ts";
import type { RingMessage, RingTopic } from "./records.ts";
import { type RingPosition, RingReader } from "./ring-reader.ts";
import type { BlockState } from "./ring-state.ts";

/** Interval at which old messages are dropped and new ones are written to the disk, milliseconds: a killed daemon loses about as much. */
const BEAT_MS = 500;

interface FlightRingOptions {
  readonly clock: Clock;
  readonly now: () => bigint;
  readonly log: WarningLog;
  /** Folder of the blocks on the disk. */
  readonly folder: string;
  /** Free space that is left to other programs, bytes. */
  readonly minFree: number;
  readonly append?: DiskRingOptions["append"];
}

/** The ring of a host: the newest messages in memory and, if wanted, on the disk. */
export class FlightRing {
  readonly #options: FlightRingOptions;
  readonly #memory: MemoryRing;
  readonly #disk: DiskRing;
  #timer: unknown = null;
  #isOn = false;

  constructor(options: FlightRingOptions) {
    this.#options = options;
    const { clock, now } = options;
    this.#disk = new DiskRing(options);
    this.#memory = new MemoryRing({ clock, now, dropped: (block) => this.#disk.forget(block) });
    this.#memory.skipTo(this.#disk.lastNumber + 1);
  }

  /** Whether messages are kept. */
  get isOn(): boolean {
    return this.#isOn;
  }

  /** `disk`: bytes; 0: nothing is kept there. */
  configure(bounds: RingBounds, disk: number): void {
    const wasOn = this.#isOn;
    this.#isOn = bounds.memory > 0;
    this.#disk.setBound(this.#isOn ? disk : 0);
    this.#memory.setBounds(bounds);
    if (this.#isOn && !wasOn && this.#memory.blocks.length === 0) this.#memory.begin();
    if (!this.#isOn) this.#memory.clear();
    this.#beat();
  }

  /** Keeps a message, whose payload is copied. One that is larger than the ring counts as lost. */
  put(message: RingMessage): void {
    if (this.#isOn && !this.#memory.put(message)) this.lost(message, 1, message.received);
  }

  lost(topic: RingTopic, count: number, time: bigint): void {
    if (this.#isOn) this.#memory.lost(topic, count, time);
  }

  /** Time from which on the ring has everything; null: it is empty. */
  async reaches(): Promise<bigint | null> {
    const disk = this.#disk.isOn ? await this.#disk.oldest() : null;
    const memory = this.#memory.blocks[0]?.first ?? null;
    if (disk === null || memory === null) return disk ?? memory;
    return disk < memory ? disk : memory;
  }

  async report(): Promise<Omit<RingReport, "spec">> {
    const oldest = await this.reaches();
    const newest = this.#memory.blocks.reduce((last, block) => (block.last > last ? block.last : last), 0n);
    const { bytes, messages } = this.#memory;
    const text = (time: bigint | null) => (time === null || time === 0n ? null : String(time));
    return { bytes, disk_bytes: this.#disk.bytes, messages, oldest: text(oldest), newest: text(newest) };
  }

  reader(from: bigint): Promise<RingReader> {
    return RingReader.from(this.#memory, this.#readable, from);
  }

  readerAt(position: RingPosition): RingReader {
    return RingReader.at(this.#memory, this.#readable, position);
  }

  /** Resolves when no write is under way. */
  settled(): Promise<void> {
    return this.#disk.settled();
  }

  quiet(): Promise<void> {
    this.#options.clock.clearTimeout(this.#timer);
    return this.#disk.quiet();
  }

  resume(): void {
    this.#disk.resume();
    this.#beat();
  }

  handOver(times: KernelTimes): { state: { next: number; blocks: BlockState[] }; bytes: Record<string, Uint8Array> } {
    const { states, bytes } = this.#memory.handOver(times);
    return { state: { next: this.#memory.next, blocks: states }, bytes };
  }

  /** Continues the ring of the program before this one. Call it before `configure`. */
  adopt(state: { next: number; blocks: BlockState[] }, bytes: Readonly<Record<string, Uint8Array>>, times: KernelTimes): void {
    this.#memory.adopt(state.blocks, state.next, bytes, times);
  }

  /** Writes what is not on the disk yet. */
  async close(): Promise<void> {
    this.#options.clock.clearTimeout(this.#timer);
    await this.#disk.settled();
    if (this.#disk.isOn) this.#disk.flush(this.#memory.blocks);
    await this.#disk.close();
  }

  get #readable(): DiskRing | null {
    return this.#disk.isOn ? this.#disk : null;
  }

  #beat(): void {
    const { clock } = this.#options;
    clock.clearTimeout(this.#timer);
    this.#memory.expire();
    this.#disk.flush(this.#memory.blocks);
    if (this.#isOn) this.#timer = clock.setTimeout(() => this.#beat(), BEAT_MS);
  }
}
