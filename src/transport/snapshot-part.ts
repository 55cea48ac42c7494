import type { Principal } from "../base/access/principal.ts";
import type { ChangeFrame, ManagerFrame } from "../protocol/frames/frames.ts";
import type { Snapshot } from "../protocol/resources/resources.ts";
import type { HiddenNames } from "./hidden-names.ts";
import type { GrantedView, ViewMode } from "./view.ts";

/** Additions of a feature to snapshots, and to the events that keep them current. */
export interface SnapshotPart {
  /**
   * The feature's fields of a snapshot. `isFull`: the connection has the whole manager in view; others get what is about the processes of
   * their `view`, else empty fields.
   */
  readonly snapshot?: (connection: {
    readonly principal: Principal;
    readonly isFull: boolean;
    readonly view: ViewMode;
    /** Removes the names of processes that the user may not see; null: the user may see all. */
    readonly hiddenNames: HiddenNames | null;
  }) => Partial<Snapshot>;
  /** Frames that follow each snapshot on a connection with the whole manager in view. */
  readonly afterSnapshot?: () => readonly ManagerFrame[];
  /** The feature's change about a process, without the names of hidden ones. Left out: its changes name no other process. */
  readonly withoutHidden?: (change: ChangeFrame, hidden: HiddenNames) => ChangeFrame;
  /** The part of a change that names no process which a view with roles on some processes sees. Left out: nothing. */
  readonly changeFor?: (change: ChangeFrame, view: GrantedView) => readonly ChangeFrame[];
}
