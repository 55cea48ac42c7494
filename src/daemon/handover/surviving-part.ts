import type { HandedOver } from "./handed-over.ts";

/** A part of the daemon that survives the replacement of its program. Its constructor takes what `handOver` returned. */
export interface SurvivingPart {
  /** Begins nothing new, and resolves when nothing is half done: bounded in time. Rejects if that cannot be reached. */
  quiet?(): Promise<void>;
  /** Called when everything is quiet. The part does nothing afterwards, unless `resume` is called. */
  handOver(): HandedOver;
  /** Continues: the program was not replaced. Also called if `quiet` failed, or that of another part before. */
  resume?(): void;
}
