import type { Principal } from "../base/principal.ts";
import type { ManagerFrame } from "../protocol/frames/frames.ts";
import type { Snapshot } from "../protocol/resources/resources.ts";

/** Additions of a feature to snapshots. */
export interface SnapshotPart {
  /** The feature's fields of a snapshot. `isFull`: the connection has the whole manager in view; others get empty fields. */
  readonly snapshot?: (connection: { readonly principal: Principal; readonly isFull: boolean }) => Partial<Snapshot>;
  /** Frames that follow each snapshot on a connection with the whole manager in view. */
  readonly afterSnapshot?: () => readonly ManagerFrame[];
}
