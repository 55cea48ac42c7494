import { z } from "zod";
import type { StateFiles } from "../../../app/state/state-files.ts";

/** Number of ids that one write reserves: a killed manager skips at most this many, and reuses none. */
const ID_BLOCK_SIZE = 10_000;

/** Ids of clients, which are never used again; with a state folder, not by later managers either. */
export class ClientIds {
  #last: number;
  /** The highest reserved id, as written to the file. */
  #reserved: number;
  readonly #reserve: (until: number) => Promise<void>;

  private constructor(last: number, reserve: (until: number) => Promise<void>) {
    this.#last = last;
    this.#reserved = last + ID_BLOCK_SIZE;
    this.#reserve = reserve;
  }

  static inMemory(): ClientIds {
    return new ClientIds(0, () => Promise.resolve());
  }

  /** Reads the highest id that may have been used from `client-ids` in the state folder. */
  static async open(files: StateFiles, warn: (msg: string) => void): Promise<ClientIds> {
    const file = files.json("client-ids", {
      schema: z.int().min(0),
      empty: 0,
      lost: "ids of clients may be used again",
      unsaved: "ids of clients may be used again after a crash",
      warn,
    });
    await file.save(file.content + ID_BLOCK_SIZE);
    return new ClientIds(file.content, file.save);
  }

  next(): number {
    // Ids are reserved long before they are needed, so that no client waits for the disk.
    if (this.#reserved - this.#last <= ID_BLOCK_SIZE / 2) {
      this.#reserved += ID_BLOCK_SIZE;
      void this.#reserve(this.#reserved);
    }
    return ++this.#last;
  }
}
