// The two files on the disk: decides when a snapshot replaces the journal.
import { randomUUID } from "node:crypto";
import { lstat } from "node:fs/promises";
import { basename } from "node:path";
import { type FileSystem, type WrittenFile, writeFileAtomically } from "../../files/replace-file.ts";
import { JournalFile } from "./journal-file.ts";
import { journalHeaderText, journalPath } from "./journal-format.ts";

/** Minimum size of a journal that is replaced, bytes: about 1,000 requests, which the next manager reads in some milliseconds. */
export const MIN_FULL_JOURNAL_BYTES = 256 * 1024;

/**
 * The intent on the disk: a snapshot, and the journal of the changes since, linked by an id (docs/decisions/0044). Methods that write are called
 * one at a time. After one fails there is no journal, so that the next save is a snapshot.
 */
export class IntentFiles {
  readonly #path: string;
  readonly #journalPath: string;
  readonly #fileSystem: FileSystem;
  readonly #minFullJournalBytes: number;
  /** The newest snapshot; null: unknown, or not written by this manager. */
  #snapshot: WrittenFile | null = null;
  /** Id of the newest snapshot; null until there is one. */
  #id: string | null = null;
  #journal: JournalFile | null = null;
  /** Numbers of replacements of either file that have begun and that have ended. */
  #begun = 0;
  #ended = 0;

  constructor(path: string, { fileSystem, minFullJournalBytes }: { fileSystem: FileSystem; minFullJournalBytes: number }) {
    this.#path = path;
    this.#journalPath = journalPath(path);
    this.#fileSystem = fileSystem;
    this.#minFullJournalBytes = minFullJournalBytes;
  }

  get hasJournal(): boolean {
    return this.#journal !== null;
  }

  get isJournalFull(): boolean {
    const maxBytes = Math.max(this.#minFullJournalBytes, 2 * (this.#snapshot?.size ?? 0));
    return this.#journal !== null && this.#journal.size > maxBytes;
  }

  /** Resolves when the line is on the disk. */
  async append(line: string): Promise<void> {
    if (this.#journal === null) throw new Error("there is no journal");
    try {
      await this.#journal.append(line);
    } catch (error) {
      // The same snapshot must get no other journal: this one has changes that were saved.
      this.#id = null;
      await this.#abandonJournal();
      throw error;
    }
  }

  /** Resolves when the snapshot is on the disk. The journal before it is ignored from then on. */
  async writeSnapshot(content: (id: string) => string): Promise<void> {
    await this.#replace(async () => {
      await this.#abandonJournal();
      this.#id = null;
      this.#snapshot = null;
      const id = randomUUID();
      this.#snapshot = await writeFileAtomically(this.#path, content(id), this.#fileSystem);
      this.#id = id;
    });
  }

  /** Begins a journal of the newest snapshot, if there is one. */
  async beginJournal(): Promise<void> {
    const id = this.#id;
    if (id === null || this.#journal !== null) return;
    await this.#replace(async () => {
      this.#journal = await JournalFile.begin(this.#journalPath, journalHeaderText(id), this.#fileSystem);
    });
  }

  /** A journal that cannot be removed belongs to an earlier snapshot, and is ignored. */
  async removeJournal(): Promise<void> {
    await this.#replace(() => this.#fileSystem.rm(this.#journalPath, { force: true }).catch(() => undefined));
  }

  /** Names of the files that were removed, or that another program replaced or changed. */
  async lost(): Promise<string[]> {
    const ended = this.#ended;
    const snapshot = this.#snapshot;
    const journal = this.#journal?.expectation();
    const [foundSnapshot, foundJournal] = await Promise.all([statusOf(this.#path), statusOf(this.#journalPath)]);
    // The files may have been found before or after a replacement by this manager.
    if (this.#begun !== ended) return [];
    const lost: string[] = [];
    if (foundSnapshot === null || (snapshot !== null && !isSame(snapshot, foundSnapshot))) lost.push(basename(this.#path));
    if (journal !== undefined && (foundJournal === null || !journal(foundJournal))) lost.push(basename(this.#journalPath));
    return lost;
  }

  async #replace(write: () => Promise<void>): Promise<void> {
    this.#begun++;
    try {
      await write();
    } finally {
      this.#ended++;
    }
  }

  async #abandonJournal(): Promise<void> {
    const journal = this.#journal;
    this.#journal = null;
    await journal?.close();
  }
}

/** Status of the file; null if it does not exist. */
async function statusOf(path: string): Promise<WrittenFile | null> {
  try {
    return await lstat(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

function isSame(one: WrittenFile, other: WrittenFile): boolean {
  return one.dev === other.dev && one.ino === other.ino && one.size === other.size;
}
