import { isDiskFull } from "../../../base/errors.ts";
import type { RecordingSpec } from "../contract.ts";
import type { RecordingFolder } from "./recording-folder.ts";
import type { WrittenFiles } from "./written-files.ts";

interface RecordingSpaceOptions {
  readonly spec: () => RecordingSpec;
  readonly folder: RecordingFolder;
  readonly written: WrittenFiles;
  readonly freeSpace?: ((folder: RecordingFolder) => Promise<number>) | undefined;
}

/** Space for a recording on its disk: the limits of its specification, and the removal of its oldest files where that is configured. */
export class RecordingSpace {
  readonly #options: RecordingSpaceOptions;

  constructor(options: RecordingSpaceOptions) {
    this.#options = options;
  }

  /** The reason why nothing is written when the disk is full, and what to do. */
  get fullText(): string {
    const { spec, folder } = this.#options;
    const { min_free_space } = spec();
    const limit = min_free_space === 0 ? "" : `: less than ${min_free_space} bytes are free (min_free_space)`;
    return `the disk of ${folder.path} is full${limit}. Make room there, then start the recording again`;
  }

  /** Resolves with whether `min_free_space` is free, perhaps after files were removed. */
  async isEnough(): Promise<boolean> {
    const { spec, folder, freeSpace = (of: RecordingFolder) => of.freeSpace() } = this.#options;
    while ((await freeSpace(folder)) < spec().min_free_space) {
      if (!(await this.#removeOldest("too little free space"))) return false;
    }
    return true;
  }

  /** Makes room after a write that failed because the disk is full. Resolves with whether it should be tried again. */
  async makeRoom(error: unknown): Promise<boolean> {
    return isDiskFull(error) && this.#removeOldest("the disk is full");
  }

  /** Removes the oldest files beyond `max_files`. `open`: number of files that are being written. */
  async removeSurplus(open: () => number): Promise<void> {
    const { spec, written } = this.#options;
    const isOver = () => written.reports.length + open() > spec().max_files;
    while (isOver() && (await written.removeOldest(`limit: ${spec().max_files} files`)));
  }

  async #removeOldest(reason: string): Promise<boolean> {
    const { spec, written } = this.#options;
    return spec().on_full === "delete_oldest" && (await written.removeOldest(reason));
  }
}
