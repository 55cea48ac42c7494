import { open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { MgrError } from "../../../base/errors.ts";
import { SerialQueue } from "../../../base/timing/serial-queue.ts";
import { readJsonState } from "../../../files/json-state-file.ts";
import { writeFileAtomically } from "../../../files/replace-file.ts";
import { makeStateFolder } from "../../../files/state-folder.ts";
import { incidentId } from "../contract.ts";
import { type IncidentRecord, incidentRecord } from "./incident-record.ts";

/** Folder of the incidents in the state folder. */
const FOLDER = "incidents";
const RECORD = "incident.json";
const FILE = "incident.mcap";
const NEXT = "incident.mcap.new";
const DELETED = "deleted.json";
/** Ids of deleted parts that are remembered, so that a host that was away cannot bring them back. */
const MAX_DELETED = 1_000;

/** The folder `incidents/ID/{incident.json,incident.mcap}`, where parts of hosts wait beside the file until they are in it. */
export class IncidentStore {
  readonly #folder: string;
  readonly #warn: (msg: string) => void;
  /** Runs one write at a time. */
  readonly #writes = new SerialQueue();
  readonly #deleted: Set<string>;

  constructor(stateFolder: string, warn: (msg: string) => void) {
    this.#folder = join(stateFolder, FOLDER);
    this.#warn = warn;
    makeStateFolder(this.#folder);
    const deleted = readJsonState(join(this.#folder, DELETED), {
      schema: z.array(incidentId),
      empty: [],
      lost: "incidents that were deleted come back if a host that was away still has a part of them",
      warn,
    });
    this.#deleted = new Set(deleted);
  }

  /** Reads all incidents, oldest first, and completes what a manager that was killed had begun. */
  async load(): Promise<IncidentRecord[]> {
    const names = (await readdir(this.#folder, { withFileTypes: true })).filter((entry) => entry.isDirectory()).map(({ name }) => name);
    const records: IncidentRecord[] = [];
    for (const name of names.sort()) {
      const record = incidentId.safeParse(name).success ? await this.#read(name) : null;
      if (record !== null) records.push(record);
    }
    return records.sort((a, b) => (BigInt(a.until) < BigInt(b.until) ? -1 : 1));
  }

  async #read(id: string): Promise<IncidentRecord | null> {
    const record = readJsonState(join(this.#folder, id, RECORD), {
      schema: incidentRecord.nullable(),
      empty: null,
      lost: `the incident ${id} is not shown any more; its files are still in ${join(this.#folder, id)}`,
      warn: this.#warn,
    });
    // The folder of an incident whose record was not written yet, or which was being deleted, has nothing that counts.
    if (record === null || record.id !== id) return null;
    if (record.is_replacing) await this.#finishReplacing(record);
    else await rm(join(this.#folder, id, NEXT), { force: true });
    for (const { host, parts } of record.hosts)
      for (const { id: part, state } of parts) if (state !== "collected") await rm(this.partPath(record, host, part), { force: true });
    return record;
  }

  /** Makes the folder of an incident. */
  create({ id }: IncidentRecord): Promise<void> {
    return this.#writes.run(async () => makeStateFolder(join(this.#folder, id)));
  }

  save(record: IncidentRecord): Promise<void> {
    const text = `${JSON.stringify(record)}\n`;
    return this.#writes.run(async () => {
      await writeFileAtomically(join(this.#folder, record.id, RECORD), text);
    });
  }

  /** The file of an incident, and where the next one is written. */
  filePath(id: string): string {
    return join(this.#folder, id, FILE);
  }

  nextPath(id: string): string {
    return join(this.#folder, id, NEXT);
  }

  /** The copy of a host's part. Its name is that of its place in the record, because names of hosts may have any characters. */
  partPath({ id, hosts }: IncidentRecord, host: string, part: string): string {
    const at = hosts.findIndex((each) => each.host === host);
    return join(this.#folder, id, `part-${at}-${part}.mcap`);
  }

  /** Puts the file at `nextPath` in the place of the present one. The record, which tells of the new one already, says so until it is done. */
  async replace(record: IncidentRecord): Promise<void> {
    record.is_replacing = true;
    await this.save(record);
    await this.#finishReplacing(record);
  }

  async #finishReplacing(record: IncidentRecord): Promise<void> {
    const { id } = record;
    await rename(this.nextPath(id), this.filePath(id)).catch((error: NodeJS.ErrnoException) => {
      // It was renamed before the manager was killed.
      if (error.code !== "ENOENT") throw error;
    });
    await using folder = await open(join(this.#folder, id), "r");
    await folder.sync();
    record.is_replacing = false;
    await this.save(record);
  }

  /** Whether a part belongs to an incident that was deleted. */
  wasDeleted(id: string): boolean {
    return this.#deleted.has(id);
  }

  /** Deletes an incident for good; `parts` are the ids of its parts. */
  async delete(id: string, parts: Iterable<string>): Promise<void> {
    for (const part of parts) this.#deleted.add(part);
    for (const oldest of [...this.#deleted].slice(0, Math.max(0, this.#deleted.size - MAX_DELETED))) this.#deleted.delete(oldest);
    const text = `${JSON.stringify([...this.#deleted])}\n`;
    await this.#writes.run(async () => {
      await writeFileAtomically(join(this.#folder, DELETED), text);
      await rm(join(this.#folder, id), { recursive: true, force: true });
    });
  }

  /** The file as it is now. A later read fails when another file has taken its place. Rejects with ENOENT if there is none. */
  async open(id: string): Promise<{ size: number; read: (from: number, max: number) => Promise<Uint8Array> }> {
    const path = this.filePath(id);
    const { size, ino } = await stat(path);
    const read = async (from: number, max: number) => {
      await using file = await open(path, "r");
      if ((await file.stat()).ino !== ino) throw new MgrError("conflict", `the incident ${id} has grown meanwhile: download it again`);
      const { buffer, bytesRead } = await file.read(new Uint8Array(Math.min(max, size - from)), 0, Math.min(max, size - from), from);
      return buffer.subarray(0, bytesRead);
    };
    return { size, read };
  }
}
