import { keyOf, readView, type View } from "./views.ts";

/**
 * Tabs in panes, panes in splits: plain values and functions that return new ones. There is always a pane, and a pane
 * always has a tab.
 */
export interface Tab {
  view: View;
  /** A tab that is not kept is replaced by the next view that is opened in its pane. */
  kept: boolean;
}
export interface Pane {
  type: "pane";
  id: number;
  tabs: Tab[];
  active: number;
  /** Whether the details of its process are open. */
  details?: boolean;
}
export interface Split {
  type: "split";
  id: number;
  direction: Direction;
  children: Part[];
  /** Shares of the room, one for each child; only their ratios matter. */
  shares: number[];
}
export type Direction = "row" | "column";
export type Part = Pane | Split;
export interface Layout {
  root: Part;
  /** Id of the pane that has the focus. */
  focused: number;
  nextId: number;
}

const MAX_DEPTH = 6;

export function newLayout(view: View = { kind: "overview" }): Layout {
  return { root: pane(1, [{ view, kept: false }]), focused: 1, nextId: 2 };
}

function pane(id: number, tabs: Tab[], active = 0): Pane {
  return { type: "pane", id, tabs, active };
}

export function panesOf(part: Part): Pane[] {
  return part.type === "pane" ? [part] : part.children.flatMap(panesOf);
}

export function focusedPane(layout: Layout): Pane {
  const panes = panesOf(layout.root);
  const found = panes.find(({ id }) => id === layout.focused) ?? panes[0];
  if (!found) throw new Error("a layout without a pane");
  return found;
}

export function activeView(of: Pane): View {
  return of.tabs[of.active]?.view ?? { kind: "overview" };
}

/** Replaces one pane by the result of `how`; null removes it, and a split with one remaining child becomes that child. */
function change(part: Part, id: number, how: (pane: Pane) => Part | null): Part | null {
  if (part.type === "pane") return part.id === id ? how(part) : part;
  const children: Part[] = [];
  const shares: number[] = [];
  part.children.forEach((child, index) => {
    const changed = change(child, id, how);
    if (changed === null) return;
    children.push(changed);
    shares.push(part.shares[index] ?? 1);
  });
  const [only] = children;
  if (!only) return null;
  return children.length === 1 ? only : { ...part, children, shares };
}

function withPane(layout: Layout, id: number, how: (pane: Pane) => Part | null): Layout {
  const root = change(layout.root, id, how);
  if (root === null)
    return {
      ...newLayout(),
      root: pane(layout.nextId, [{ view: { kind: "overview" }, kept: false }]),
      focused: layout.nextId,
      nextId: layout.nextId + 1,
    };
  const next = { ...layout, root };
  return { ...next, focused: focusedPane(next).id };
}

/** Shows a view: where it is already open, else in the focused pane, instead of its tab that is not kept. */
export function open(layout: Layout, view: View, kept = false): Layout {
  const key = keyOf(view);
  const here = focusedPane(layout);
  const home = [here, ...panesOf(layout.root)].find(({ tabs }) => tabs.some((tab) => keyOf(tab.view) === key));
  if (home) {
    const index = home.tabs.findIndex((tab) => keyOf(tab.view) === key);
    const tabs = home.tabs.map((tab, at) => (at === index && kept ? { ...tab, kept } : tab));
    return withPane({ ...layout, focused: home.id }, home.id, (old) => ({ ...old, tabs, active: index }));
  }
  return withPane(layout, here.id, (old) => {
    const place = kept ? -1 : old.tabs.findIndex((tab) => !tab.kept);
    const tabs = place < 0 ? [...old.tabs, { view, kept }] : old.tabs.map((tab, at) => (at === place ? { view, kept } : tab));
    return { ...old, tabs, active: place < 0 ? tabs.length - 1 : place };
  });
}

export function activate(layout: Layout, id: number, index: number): Layout {
  return withPane({ ...layout, focused: id }, id, (old) => ({ ...old, active: Math.max(0, Math.min(index, old.tabs.length - 1)) }));
}

/** Activates the next or previous tab of the focused pane. */
export function stepTab(layout: Layout, by: 1 | -1): Layout {
  const { id, active, tabs } = focusedPane(layout);
  return activate(layout, id, (active + by + tabs.length) % tabs.length);
}

/** Moves the focus to the next pane. */
export function stepPane(layout: Layout): Layout {
  const panes = panesOf(layout.root);
  const next = panes[(panes.indexOf(focusedPane(layout)) + 1) % panes.length];
  return next ? { ...layout, focused: next.id } : layout;
}

export function toggleDetails(layout: Layout, id: number): Layout {
  return withPane(layout, id, (old) => ({ ...old, details: old.details !== true }));
}

export function keep(layout: Layout, id: number, index: number): Layout {
  return withPane(layout, id, (old) => ({ ...old, tabs: old.tabs.map((tab, at) => (at === index ? { ...tab, kept: true } : tab)) }));
}

/** Closes a tab; the last one of a pane closes the pane, and the last pane shows the overview. */
export function close(layout: Layout, id: number, index: number): Layout {
  return withPane(layout, id, (old) => {
    const tabs = old.tabs.filter((_, at) => at !== index);
    if (tabs.length === 0) return null;
    return { ...old, tabs, active: Math.min(old.active > index ? old.active - 1 : old.active, tabs.length - 1) };
  });
}

/** Adds a pane beside or below. It shows `view`; without one the active tab moves there if another one stays, else it shows the overview. */
export function split(layout: Layout, id: number, direction: Direction, view?: View): Layout {
  const created = layout.nextId;
  const next = { ...layout, nextId: layout.nextId + 2, focused: created };
  return withPane(next, id, (old) => {
    const moves = view === undefined && old.tabs.length > 1;
    const moved: Tab = moves ? (old.tabs[old.active] as Tab) : { view: view ?? { kind: "overview" }, kept: view !== undefined };
    const tabs = moves ? old.tabs.filter((_, at) => at !== old.active) : old.tabs;
    const rest = { ...old, tabs, active: Math.min(old.active, tabs.length - 1) };
    return { type: "split", id: created + 1, direction, children: [rest, pane(created, [moved])], shares: [1, 1] };
  });
}

/** Moves a tab to another pane. */
export function move(layout: Layout, from: number, index: number, to: number): Layout {
  const tab = panesOf(layout.root).find(({ id }) => id === from)?.tabs[index];
  if (!tab || from === to) return layout;
  const there = withPane(layout, to, (old) => ({ ...old, tabs: [...old.tabs, { ...tab, kept: true }], active: old.tabs.length }));
  return { ...close(there, from, index), focused: to };
}

export function resize(layout: Layout, splitId: number, shares: number[]): Layout {
  const walk = (part: Part): Part => {
    if (part.type === "pane") return part;
    return part.id === splitId ? { ...part, shares } : { ...part, children: part.children.map(walk) };
  };
  return { ...layout, root: walk(layout.root) };
}

/** A grid with one pane for each view, about as wide as high. */
export function grid(views: View[]): Layout {
  if (views.length < 2) return newLayout(views[0]);
  const columns = Math.ceil(Math.sqrt(views.length));
  let nextId = 1;
  const rows: Part[] = [];
  for (let at = 0; at < views.length; at += columns) {
    const children: Part[] = views.slice(at, at + columns).map((view) => pane(nextId++, [{ view, kept: true }]));
    rows.push(asSplit(nextId++, "row", children));
  }
  return { root: asSplit(nextId++, "column", rows), focused: 1, nextId };
}

function asSplit(id: number, direction: Direction, children: Part[]): Part {
  const [only] = children;
  return children.length === 1 && only ? only : { type: "split", id, direction, children, shares: children.map(() => 1) };
}

/** Parses a layout that an earlier visit stored; null if it is invalid. */
export function readLayout(value: unknown): Layout | null {
  let nextId = 1;
  const read = (part: unknown, depth: number): Part | null => {
    if (typeof part !== "object" || part === null || depth > MAX_DEPTH) return null;
    if ("tabs" in part && Array.isArray(part.tabs)) {
      const tabs = part.tabs.flatMap((tab: { view?: unknown; kept?: unknown } | null) => {
        const view = readView(tab?.view);
        return view ? [{ view, kept: tab?.kept === true }] : [];
      });
      const active = "active" in part && Number.isInteger(part.active) ? Number(part.active) : 0;
      if (tabs.length === 0) return null;
      const known = pane(nextId++, tabs, Math.max(0, Math.min(active, tabs.length - 1)));
      return "details" in part && part.details === true ? { ...known, details: true } : known;
    }
    if (!("children" in part) || !Array.isArray(part.children)) return null;
    const children = part.children.flatMap((child) => read(child, depth + 1) ?? []);
    if (children.length === 0) return null;
    const made = asSplit(nextId++, "direction" in part && part.direction === "column" ? "column" : "row", children);
    const shares = "shares" in part && Array.isArray(part.shares) ? part.shares : [];
    const fits =
      made.type === "split" && shares.length === children.length && shares.every((share) => typeof share === "number" && share > 0);
    return fits ? { ...made, shares } : made;
  };
  const root = read(typeof value === "object" && value !== null && "root" in value ? value.root : null, 0);
  const first = root && panesOf(root)[0];
  return root && first ? { root, focused: first.id, nextId } : null;
}
