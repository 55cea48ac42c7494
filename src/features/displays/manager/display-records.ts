import { z } from "zod";
import type { JsonFile, StateFiles } from "../../../app/state/state-files.ts";

const displayRecord = z.object({
  user: z.string().min(1),
  /** Number of the X display. */
  display: z.int().min(0).max(59_535),
  /** Absolute path of the display's own folder: the cookie and the socket of the VNC server. */
  folder: z.string().min(1),
});
/** A private display that was used. */
export type DisplayRecord = z.infer<typeof displayRecord>;
const displaysFile = z.object({ displays: z.array(displayRecord) });

/** The private displays, saved for later managers. */
export class DisplayRecords {
  readonly #records: Map<string, DisplayRecord>;
  readonly #file: JsonFile<z.infer<typeof displaysFile>>;
  /** Returns the private folder for sockets; makes it if it is missing. */
  readonly sockets: () => string;

  /** Reads `displays.json` in the state folder. Running displays that are not in it are stopped. */
  constructor(files: StateFiles, sockets: () => string, warn: (msg: string) => void) {
    this.#file = files.json("displays.json", {
      schema: displaysFile,
      empty: { displays: [] },
      lost: "earlier private displays are forgotten",
      unsaved: "private displays cannot be saved, so that the next manager would stop them",
      warn,
    });
    this.#records = new Map(this.#file.content.displays.map((record) => [record.user, record]));
    this.sockets = sockets;
  }

  get(user: string): DisplayRecord | null {
    return this.#records.get(user) ?? null;
  }

  all(): DisplayRecord[] {
    return [...this.#records.values()];
  }

  /** Resolves when the record is saved, or saving has failed. */
  set(record: DisplayRecord): Promise<void> {
    this.#records.set(record.user, record);
    return this.#file.save({ displays: this.all() });
  }
}
