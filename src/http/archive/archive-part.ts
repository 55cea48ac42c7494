import type { RetainedOutput } from "../../actors/control.ts";

/** One file of the archive. */
export interface ArchivePart {
  /** Path below the archive's top folder. */
  readonly name: string;
  readonly content: string | RetainedOutput;
}
