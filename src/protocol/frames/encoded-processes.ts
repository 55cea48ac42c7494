import type { Process } from "../resources/resources.ts";

/** Number of processes in one part: with some 900 bytes each, a part is encoded in less than a millisecond. */
export const PROCESSES_IN_PART = 50;
const COMMA = ",".charCodeAt(0);

interface EncodedPart {
  readonly processes: readonly Process[];
  readonly bytes: Buffer;
}

/**
 * The list of all processes as JSON, in parts that snapshots share: a part is encoded again only if one of its processes is another object. One part is
 * one object for V8's collector, outside of its heap; 100,000 texts that are kept, and copied for each snapshot, stop the manager for longer
 * (docs/decisions/0139).
 */
export class EncodedProcesses {
  readonly #parts: EncodedPart[] = [];

  /** The members of the JSON array `processes`, each part on demand. The processes must not be modified afterwards. */
  *parts(processes: readonly Process[]): Generator<Buffer, undefined> {
    const count = Math.ceil(processes.length / PROCESSES_IN_PART);
    if (this.#parts.length > count) this.#parts.length = count;
    for (let index = 0; index < count; index++) {
      const known = this.#parts[index];
      if (known !== undefined && isPartOf(processes, index, known.processes)) yield known.bytes;
      else {
        const some = membersOf(processes, index);
        const bytes = encodePart(some, index);
        this.#parts[index] = { processes: some, bytes };
        yield bytes;
      }
    }
  }
}

/** The same for a list that only some connections see, which is not kept. */
export function* encodeProcesses(processes: readonly Process[]): Generator<Buffer, undefined> {
  const count = Math.ceil(processes.length / PROCESSES_IN_PART);
  for (let index = 0; index < count; index++) yield encodePart(membersOf(processes, index), index);
}

function membersOf(processes: readonly Process[], index: number): Process[] {
  return processes.slice(index * PROCESSES_IN_PART, (index + 1) * PROCESSES_IN_PART);
}

function isPartOf(processes: readonly Process[], index: number, part: readonly Process[]): boolean {
  const first = index * PROCESSES_IN_PART;
  if (part.length !== Math.min(PROCESSES_IN_PART, processes.length - first)) return false;
  return part.every((process, at) => process === processes[first + at]);
}

/** A comma before all parts but the first takes the place of the bracket, so that no text is copied. */
function encodePart(processes: readonly Process[], index: number): Buffer {
  const bytes = Buffer.from(JSON.stringify(processes));
  bytes[0] = COMMA;
  return bytes.subarray(index === 0 ? 1 : 0, -1);
}
