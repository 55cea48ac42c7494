import type { ComponentChildren, ComponentType } from "preact";
import type { Process } from "../../../src/protocol/resources/resources.ts";
import type { Pane } from "../state/layout.ts";
import type { View, ViewKind, ViewOf, ViewType } from "../state/views.ts";
import type { Action } from "./action.ts";

/** A view of the page: its type, and the component that draws it. */
export interface PageView<Kind extends ViewKind = ViewKind> extends ViewType<Kind> {
  Body(props: { view: ViewOf<Kind>; pane: Pane }): ComponentChildren;
  /** Loads its code before it is opened. */
  preload?(): void;
}

type AnyPageView = { [Kind in ViewKind]: PageView<Kind> }[ViewKind];

/** An entry of the navigation, with the icon of its view. */
export interface Place {
  readonly view: View;
  readonly word: string;
  /** Placed after the page's own entries in the row at the top. */
  readonly isLast?: true;
}

/** An action with a key of its own: a single character, which runs it outside of text fields. */
export type KeyAction = Action & { readonly keys: string };

/** Keys of one place, each with its meaning. */
export type Shortcuts = readonly [place: string, keys: readonly (readonly [keys: string, meaning: string])[]];

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
  /** Called once, when the page starts. */
  readonly start?: () => void;
}
