import { z } from "zod";
import type { StateFiles } from "../../../app/state/state-files.ts";
import { messageOf } from "../../../base/errors.ts";
import { parseJson } from "../../../base/json.ts";
import { readStateBytes } from "../../../files/state-file.ts";

const FILE = "displays.json";

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
  readonly #save: (records: DisplayRecord[]) => Promise<void>;
  /** Returns the private folder for sockets; makes it if it is missing. */
  readonly sockets: () => string;

  private constructor(records: readonly DisplayRecord[], sockets: () => string, save: (records: DisplayRecord[]) => Promise<void>) {
    this.#records = new Map(records.map((record) => [record.user, record]));
    this.sockets = sockets;
    this.#save = save;
  }

  /** Reads `displays.json` in the state folder. A damaged file counts as empty: running displays are stopped then. */
  static async open(files: StateFiles, sockets: () => string, warn: (msg: string) => void): Promise<DisplayRecords> {
    const bytes = await readStateBytes(files.path(FILE)).catch((error: unknown) => {
      warn(`earlier private displays are forgotten: ${messageOf(error)}`);
      return null;
    });
    const parsed = displaysFile.safeParse(parseJson(bytes?.toString() ?? ""));
    if (bytes !== null && !parsed.success) warn(`${files.path(FILE)} is damaged: earlier private displays are forgotten`);
    return new DisplayRecords(parsed.success ? parsed.data.displays : [], sockets, (displays) =>
      files.write(FILE, `${JSON.stringify({ displays })}\n`).catch((error: unknown) => {
        warn(`private displays cannot be saved, so that the next manager would stop them: ${messageOf(error)}`);
      }),
    );
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
    return this.#save(this.all());
  }
}
