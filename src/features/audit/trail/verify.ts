import { digestOf, keyId, macOf, NO_MAC, openSeal } from "./chain.ts";
import { nameOf, openTrail, readKey, trailFiles } from "./files.ts";
import { linesFrom, type PlacedLine } from "./lines.ts";
import { type AuditRecord, type FileRecord, recordIn } from "./records.ts";

/** Problems that are listed; the others are counted. */
const MAX_LISTED = 100;

export interface TrailProblem {
  /** Name of the file in the folder. */
  readonly file: string;
  /** Number of the line, from 1; null: the problem is with the file as a whole. */
  readonly line: number | null;
  readonly message: string;
}

export interface TrailReport {
  readonly files: number;
  /** Lines with a valid seal. */
  readonly records: number;
  /** The oldest and the newest of them. */
  readonly first: { readonly seq: number; readonly time: string } | null;
  readonly last: { readonly seq: number; readonly time: string } | null;
  /** Lines that the end of a manager cut, and that the manager after it has marked. */
  readonly cuts: number;
  /** Entries that could not be written, as the trail says itself. */
  readonly lost: number;
  /** The last line has no end: it is being written, or a manager was killed and none has run since. */
  readonly endsInLine: boolean;
  readonly problems: readonly TrailProblem[];
  readonly problemCount: number;
}

/** Checks every line of the trail in a folder. Rejects if a file or the key cannot be read. */
export async function verifyTrail(folder: string): Promise<TrailReport> {
  const check = new TrailCheck(readKey(folder));
  const files = await trailFiles(folder);
  for (const [index, number] of files.entries()) {
    await using file = await openTrail(folder, number);
    check.begin(number);
    const { size } = await file.stat();
    for await (const line of linesFrom(file, 0, size)) check.line(line, index === files.length - 1);
  }
  return check.end(files);
}

class TrailCheck {
  readonly #key: Buffer | null;
  readonly #keyId: string | null;
  readonly #problems: TrailProblem[] = [];
  #problemCount = 0;
  #file = 0;
  #line = 0;
  /** Mac and number of the last record; null before the first. */
  #mac: string | null = null;
  #seq: number | null = null;
  #first: TrailReport["first"] = null;
  #last: TrailReport["last"] = null;
  #records = 0;
  #cuts = 0;
  #lost = 0;
  /** A line that is no record, whose mark may follow. */
  #broken: { readonly bytes: number; readonly sha256: string; readonly file: string; readonly line: number } | null = null;
  /** The lines since the last record were damaged: the chain of the next one cannot be checked. */
  #isAfterDamage = false;
  #isForeign = false;
  #endsInLine = false;
  #header: FileRecord | null = null;

  constructor(key: Buffer | null) {
    this.#key = key;
    this.#keyId = key === null ? null : keyId(key);
  }

  begin(file: number): void {
    const expected = this.#file + 1;
    if (this.#file > 0 && file > expected) {
      const last = file - 1;
      const message = expected === last ? "the file is missing" : `the files from here to ${nameOf(last)} are missing`;
      this.#report(message, { file: nameOf(expected), line: null });
      this.#isAfterDamage = true;
    }
    this.#file = file;
    this.#line = 0;
  }

  line({ text, bytes, isWhole }: PlacedLine, isLastFile: boolean): void {
    this.#line++;
    if (!isWhole && isLastFile) {
      this.#endsInLine = true;
      return;
    }
    const record = text === null ? null : recordIn(text);
    const opened = text === null ? null : openSeal(text);
    if (record === null || opened === null) {
      this.#endBroken();
      this.#broken = { bytes: bytes.length, sha256: digestOf(bytes), file: nameOf(this.#file), line: this.#line };
      return;
    }
    if (this.#line === 1 || record.event === "file") this.#fileRecord(record);
    this.#checkChain(record, opened);
    this.#mark(record);
  }

  end(files: readonly number[]): TrailReport {
    this.#endBroken();
    const oldest = this.#header?.oldest;
    const [first] = files;
    if (oldest !== undefined && first !== undefined && first > oldest)
      this.#report(`the file is missing: ${nameOf(this.#header?.file ?? 0)} says that it was kept`, { file: nameOf(oldest), line: null });
    return {
      files: files.length,
      records: this.#records,
      first: this.#first,
      last: this.#last,
      cuts: this.#cuts,
      lost: this.#lost,
      endsInLine: this.#endsInLine,
      problems: this.#problems,
      problemCount: this.#problemCount,
    };
  }

  #fileRecord(record: AuditRecord): void {
    if (record.event !== "file" || this.#line > 1) {
      if (this.#line === 1) this.#report("does not begin with the record of its file: lines before it are missing");
      else this.#report("is the record of a file, but not its first line");
      return;
    }
    if (record.file !== this.#file) this.#report(`is the record of ${nameOf(record.file)}: the file was renamed`);
    this.#header = record;
    // Files before the first one were removed when new ones began.
    this.#mac ??= record.previous;
    this.#isForeign = record.key !== this.#keyId;
    if (!this.#isForeign) return;
    const reason = this.#key === null ? "the key of this folder is missing or damaged" : "the key of this folder is another one";
    this.#report(`the lines of this file cannot be checked: ${reason}`, { file: nameOf(this.#file), line: null });
  }

  #checkChain(record: AuditRecord, { text, mac }: { text: string; mac: string }): void {
    const isValid = this.#key !== null && mac === macOf(this.#key, this.#mac ?? NO_MAC, text);
    const expected = this.#seq === null ? record.seq : this.#seq + 1;
    if (isValid) {
      this.#records++;
      this.#first ??= { seq: record.seq, time: record.time };
      this.#last = { seq: record.seq, time: record.time };
    } else if (!this.#isForeign && !this.#isAfterDamage && this.#broken === null) {
      if (record.seq === expected) this.#report("was changed, or a line before it was removed");
      else this.#report(`lines before it were removed, added or moved: its number is ${record.seq}, not ${expected}`);
    }
    this.#mac = mac;
    this.#seq = record.seq;
    this.#isAfterDamage = false;
  }

  /** Reads what the record says about the trail. Its seal has been checked. */
  #mark(record: AuditRecord): void {
    if (record.event === "lost") this.#lost += record.count;
    if (this.#broken === null || record.event === "file") return;
    if (record.event === "cut" && record.bytes === this.#broken.bytes && record.sha256 === this.#broken.sha256) {
      this.#cuts++;
      this.#broken = null;
    } else this.#endBroken();
  }

  #endBroken(): void {
    if (this.#broken === null) return;
    const { file, line } = this.#broken;
    this.#broken = null;
    this.#report("is damaged: it is no record", { file, line });
    this.#isAfterDamage = true;
  }

  #report(message: string, at: Pick<TrailProblem, "file" | "line"> = { file: nameOf(this.#file), line: this.#line }): void {
    this.#problemCount++;
    if (this.#problems.length < MAX_LISTED) this.#problems.push({ ...at, message });
  }
}
