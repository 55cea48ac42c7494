import type { ComponentChildren, ComponentType } from "preact";
import type { Process } from "../../../src/protocol/resources/resources.ts";
import type { Pane } from "../state/layout.ts";
import type { View, ViewKind, ViewOf, ViewType } from "../state/views.ts";
import type { Action } from "./action.ts";
import type { ListeningOn } from "./port-links.ts";
import type { ProcessMarker } from "./process-marks.ts";

/** A view of the page: its type, and the component that draws it. */
export interface PageView<Kind extends ViewKind = ViewKind> extends ViewType<Kind> {
  Body(props: { view: ViewOf<Kind>; pane: Pane }): ComponentChildren;
  /** Loads its code before it is opened. */
  preload?(): void;
}

type AnyPageView = { [Kind in ViewKind]: PageView<Kind> }[ViewKind];

/** An entry of the navigation, with the icon of its view. It is left out for users who may not open the view. */
export interface Place {
  readonly view: View;
  readonly word: string;
  /** Placed after the page's own entries in the row at the top. */
  readonly isLast?: true;
  /** Left out of the row at the top, which has little room: its view is opened by an action, and on phones by the list. */
  readonly isInList?: true;
}

/** An action with a key of its own: a single character, which runs it outside of text fields, or "Ctrl-Shift-" with a letter, outside of terminals. */
export type KeyAction = Action & { readonly keys: string };

/** Keys of one place, each with its meaning. */
export type Shortcuts = readonly [place: string, keys: readonly (readonly [keys: string, meaning: string])[]];

/** A small curve of each process in tables of processes, drawn while its row is in view. */
export interface ProcessCurve {
  /** The head of its column. */
  readonly title: string;
  readonly Cell: ComponentType<{ name: string }>;
}

/** Additions of a feature to the page. */
export interface PageFeature {
  readonly views?: readonly AnyPageView[];
  readonly places?: readonly Place[];
  readonly keys?: readonly KeyAction[];
  /** Actions for the palette, in addition to those with keys. */
  readonly actions?: () => readonly Action[];
  /** Keys of the feature's own views, for the list of keyboard shortcuts. */
  readonly shortcuts?: Shortcuts;
  /** A button in the view of a process. */
  readonly ProcessButton?: ComponentType<{ process: Process }>;
  /** A short fact about a process that runs, behind others in its status line. */
  readonly ProcessFact?: ComponentType<{ process: Process }>;
  /** A section of the details of a process, with its heading. It draws nothing where it has nothing to show. */
  readonly ProcessSection?: ComponentType<{ process: Process }>;
  /** A link beside a TCP port of a process, which opens it. */
  readonly PortLink?: ComponentType<ListeningOn>;
  /** A link in the row of a process that needs attention, to what explains it. It draws nothing where it has nothing to show. */
  readonly AttentionLink?: ComponentType<{ process: Process }>;
  /** A section of the overview, behind the page's own. */
  readonly OverviewSection?: ComponentType;
  /** A button in the view of a group, or of all processes (`name` is empty). */
  readonly GroupButton?: ComponentType<{ name: string }>;
  /** A button in the row of a host in the overview. */
  readonly HostButton?: ComponentType<{ name: string }>;
  /** A short fact in the row of a host in the overview. It draws nothing where it has nothing to show. */
  readonly HostFact?: ComponentType<{ name: string }>;
  readonly processCurve?: ProcessCurve;
  /** An item of the bar at the top, beside the name of the instance, on phones too. It draws nothing where it has nothing to show. */
  readonly TopItem?: ComponentType;
  /** Marks beside the names of processes. */
  readonly processMark?: ProcessMarker;
  /** Settings of this browser, in the dialog of the settings. */
  readonly Settings?: ComponentType;
  /** Called once, when the page starts. */
  readonly start?: () => void;
}
