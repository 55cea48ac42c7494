import { signal } from "@preact/signals";
import type { ComponentChildren, TargetedPointerEvent } from "preact";
import { useRef } from "preact/hooks";
import { findGroup } from "../../../src/client/mirror.ts";
import { shownGroupState } from "../../../src/client/shown/shown-state.ts";
import { processesOf } from "../actions/actions.ts";
import * as layouts from "../state/layout.ts";
import { arrange, canPopOut, layout, popOut } from "../state/navigation.ts";
import { processOf, tree } from "../state/store.ts";
import { keyOf, titleOf, typeOf, type View } from "../state/views.ts";
import { isNarrow } from "../ui/browser/screen.ts";
import { Icon, IconButton } from "../ui/marks/icons.tsx";
import { ProcessMark, StateMark } from "../ui/marks/state-mark.tsx";
import { MenuButton } from "../ui/menu.tsx";
import { Name } from "../ui/name.tsx";
import { ViewBox } from "./page-views.tsx";

/** All panes; on a narrow screen the focused one only. */
export function Workspace() {
  const { root } = layout.value;
  return (
    <main class="workspace">
      <PartBox part={root} alone={root.type === "pane" || isNarrow.value} />
    </main>
  );
}

function PartBox({ part, alone }: { part: layouts.Part; alone: boolean }) {
  return part.type === "pane" ? <PaneBox pane={part} alone={alone} /> : <SplitBox split={part} />;
}

function SplitBox({ split }: { split: layouts.Split }) {
  const box = useRef<HTMLDivElement>(null);
  const parts: ComponentChildren[] = [];
  const { focused } = layout.value;
  split.children.forEach((child, index) => {
    // The focused pane keeps its place among its parents, so that nothing in it closes when the window becomes narrow or wide.
    if (isNarrow.value && !layouts.panesOf(child).some(({ id }) => id === focused)) return;
    if (index > 0 && !isNarrow.value) parts.push(<Divider key={`divider-${child.id}`} split={split} index={index} box={box} />);
    parts.push(
      <div key={child.id} class="part" style={{ flexGrow: isNarrow.value ? 1 : (split.shares[index] ?? 1) }}>
        <PartBox part={child} alone={isNarrow.value} />
      </div>,
    );
  });
  return (
    <div class={`split split-${split.direction}`} ref={box}>
      {parts}
    </div>
  );
}

/** Minimum share of a pane in the room that it and its neighbour have together. */
const MIN_SHARE = 0.1;

function Divider({ split, index, box }: { split: layouts.Split; index: number; box: { current: HTMLDivElement | null } }) {
  const isRow = split.direction === "row";
  const total = split.shares.reduce((sum, share) => sum + share, 0);
  const before = split.shares[index - 1] ?? 1;
  const both = before + (split.shares[index] ?? 1);
  const moveTo = (share: number) => {
    const shares = [...split.shares];
    shares[index - 1] = Math.min(both * (1 - MIN_SHARE), Math.max(both * MIN_SHARE, share));
    shares[index] = both - (shares[index - 1] ?? 0);
    layout.value = layouts.resize(layout.value, split.id, shares);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: an <hr> cannot be moved; this is the WAI-ARIA window splitter
    <div
      class="divider"
      role="separator"
      tabIndex={0}
      aria-orientation={isRow ? "vertical" : "horizontal"}
      aria-label="Pane size"
      aria-valuenow={Math.round((100 * before) / both)}
      onKeyDown={(event) => {
        const step = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
        if (step) moveTo(before + step * both * 0.05);
      }}
      onDblClick={() => moveTo(both / 2)}
      onPointerDown={(event) => {
        const bounds = box.current?.getBoundingClientRect();
        if (!bounds) return;
        drag(event, (x, y) => {
          const room = isRow ? bounds.width : bounds.height;
          const at = isRow ? x - bounds.left : y - bounds.top;
          const earlier = split.shares.slice(0, index - 1).reduce((sum, share) => sum + share, 0);
          moveTo((at / room) * total - earlier);
        });
      }}
    />
  );
}

/** Follows the pointer until its button is released. */
export function drag(event: TargetedPointerEvent<HTMLElement>, moved: (x: number, y: number) => void): void {
  const element = event.currentTarget;
  element.setPointerCapture(event.pointerId);
  const move = (now: PointerEvent) => moved(now.clientX, now.clientY);
  element.addEventListener("pointermove", move);
  element.addEventListener("lostpointercapture", () => element.removeEventListener("pointermove", move), { once: true });
  event.preventDefault();
}

/** The tab that is being dragged. */
const dragged = signal<{ pane: number; index: number } | null>(null);

function PaneBox({ pane, alone }: { pane: layouts.Pane; alone: boolean }) {
  const isFocused = layout.value.focused === pane.id;
  const view = layouts.activeView(pane);
  const focus = () => {
    if (layout.peek().focused !== pane.id) layout.value = { ...layout.peek(), focused: pane.id };
  };
  return (
    <section
      class={`pane ${isFocused && !alone ? "focused" : ""}`}
      data-pane={pane.id}
      aria-label={`Pane: ${titleOf(view)}`}
      onFocusCapture={focus}
      onPointerDownCapture={focus}
      onDragOver={(event) => {
        if (dragged.value && dragged.value.pane !== pane.id) event.preventDefault();
      }}
      onDrop={(event) => {
        const from = dragged.value;
        dragged.value = null;
        if (from) layout.value = layouts.move(layout.value, from.pane, from.index, pane.id);
        event.preventDefault();
      }}
    >
      {!isNarrow.value && <TabStrip pane={pane} />}
      <div class="pane-body">
        <ViewBox key={keyOf(view)} view={view} pane={pane} />
      </div>
    </section>
  );
}

function TabStrip({ pane }: { pane: layouts.Pane }) {
  const view = layouts.activeView(pane);
  return (
    <div class="tabs">
      <div class="tablist" role="tablist" aria-label="Open tabs">
        {pane.tabs.map((tab, index) => (
          <TabHandle key={keyOf(tab.view)} pane={pane} tab={tab} index={index} />
        ))}
      </div>
      <div class="tab-tools">
        <MenuButton
          label="More actions of the pane"
          items={[
            { icon: "splitRight", label: "Split right", keys: "\\", run: () => splitPane(pane.id, "row") },
            { icon: "splitDown", label: "Split down", keys: "-", run: () => splitPane(pane.id, "column") },
            ...(canPopOut(view) ? [{ icon: "popOut" as const, label: "Open in new window", keys: "p", run: () => popOut(view) }] : []),
          ]}
        />
        <IconButton icon="close" label={`Close ${titleOf(view)}  w`} onClick={() => closeTab(pane, pane.active)} />
      </div>
    </div>
  );
}

function TabHandle({ pane, tab, index }: { pane: layouts.Pane; tab: layouts.Tab; index: number }) {
  const isActive = index === pane.active;
  return (
    <button
      type="button"
      class={`tab ${isActive ? "active" : ""} ${tab.kept ? "kept" : ""}`}
      role="tab"
      aria-selected={isActive}
      tabIndex={isActive ? 0 : -1}
      aria-label={titleOf(tab.view)}
      title={`${"name" in tab.view ? tab.view.name : titleOf(tab.view)}${tab.kept ? "" : " (double-click to keep this tab)"}`}
      draggable
      onDragStart={() => {
        dragged.value = { pane: pane.id, index };
      }}
      onDragEnd={() => {
        dragged.value = null;
      }}
      onClick={() => {
        arrange(layouts.activate(layout.value, pane.id, index), true);
      }}
      onDblClick={() => {
        layout.value = layouts.keep(layout.value, pane.id, index);
      }}
      onAuxClick={(event) => {
        if (event.button === 1) closeTab(pane, index);
      }}
      onKeyDown={(event) => {
        const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        if (event.key === "Delete") closeTab(pane, index);
        if (!step) return;
        const next = (index + step + pane.tabs.length) % pane.tabs.length;
        arrange(layouts.activate(layout.value, pane.id, next));
        event.currentTarget.parentElement?.querySelectorAll<HTMLElement>("[role=tab]")[next]?.focus();
      }}
    >
      <ViewMark view={tab.view} />
      <span class="tab-title">
        <Name name={titleOf(tab.view)} />
      </span>
    </button>
  );
}

/** The mark of a view: the state of its process or group, else the icon of its kind. */
function ViewMark({ view }: { view: View }) {
  if (view.kind === "process") {
    const process = processOf(view.name);
    return process ? <ProcessMark process={process} /> : null;
  }
  if (view.kind === "group") {
    const node = findGroup(tree.value, view.name);
    return node ? <StateMark state={shownGroupState(processesOf(node))} /> : null;
  }
  return <Icon name={typeOf(view.kind).icon} />;
}

export function splitPane(id: number, direction: layouts.Direction): void {
  arrange(layouts.split(layout.value, id, direction));
}

export function closeTab(pane: layouts.Pane, index: number): void {
  arrange(layouts.close(layout.value, pane.id, index));
}
