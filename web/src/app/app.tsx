import { useEffect, useLayoutEffect } from "preact/hooks";
import { features } from "../features/index.ts";
import { LogView } from "../log/log-view.tsx";
import { focusedPane } from "../state/layout.ts";
import { current, drawerOpen, layout, poppedOut, show } from "../state/navigation.ts";
import { logHeight, logOpen, sidebarWidth } from "../state/settings.ts";
import { connection, counts, instance } from "../state/store.ts";
import { titleOf, typeOf } from "../state/views.ts";
import { Tree } from "../tree/tree.tsx";
import { isNarrow } from "../ui/browser/screen.ts";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { Icon, IconButton } from "../ui/marks/icons.tsx";
import { dismiss, holdToasts, type Toast, toasts } from "../ui/toasts.ts";
import { ConnectionBanner } from "./connection-banner.tsx";
import { onPageKey } from "./keyboard.ts";
import { KeyboardSheet } from "./keyboard-sheet.tsx";
import { ViewBox } from "./page-views.tsx";
import { openPalette, Palette } from "./palette/palette.tsx";
import { PhoneNav } from "./phone-nav.tsx";
import { isAt, topPlaces } from "./places.ts";
import { SettingsDialog } from "./settings-dialog.tsx";
import { StatusBar } from "./status-bar.tsx";
import { drag, Workspace } from "./workspace.tsx";

export function App() {
  // Installed before the first paint, in the capture phase: it sees keys before the terminal, which sends them to the process.
  useLayoutEffect(() => {
    addEventListener("keydown", onPageKey, { capture: true });
    return () => removeEventListener("keydown", onPageKey, { capture: true });
  }, []);
  const view = current.value;
  const failed = poppedOut ? 0 : (counts.value.get("error") ?? 0);
  useEffect(() => {
    const place = view.kind === "overview" ? "" : `${titleOf(view)} — `;
    document.title = `${failed > 0 ? `(${failed} failed) ` : ""}${place}${instance.value.name || "mgr"}`;
  }, [view, instance.value.name, failed]);
  return (
    <>
      {poppedOut ? <Alone /> : <Shell />}
      <ConfirmDialog />
      <SettingsDialog />
      <Toasts />
    </>
  );
}

/** A pop-out window: one view and the state of its connection. */
function Alone() {
  return (
    <div class={`alone ${connection.value.kind === "lost" ? "lost" : ""}`}>
      <main class="workspace">
        <div class="pane-body">
          <ViewBox view={current.value} pane={focusedPane(layout.value)} />
        </div>
      </main>
      <StatusBar />
      <ConnectionBanner />
    </div>
  );
}

function Shell() {
  const hasLog = logOpen.value && current.value.kind !== "log" && !isNarrow.value;
  return (
    <div
      class={`shell ${drawerOpen.value ? "drawer-open" : ""} ${connection.value.kind === "lost" ? "lost" : ""}`}
      style={{ "--sidebar": `${sidebarWidth.value}px` }}
    >
      <header class="top">
        <button
          type="button"
          class="flat brand"
          onClick={() => show({ kind: "overview" })}
          aria-label={`${instance.value.name || "mgr"}: overview`}
        >
          <img src="/icon.svg" alt="" width="20" height="20" />
          <b>{instance.value.name || "mgr"}</b>
        </button>
        {features.map(({ TopItem }, index) => TopItem && <TopItem key={index} />)}
        {!isNarrow.value && <TopNav />}
      </header>
      <nav class="sidebar" aria-label="Processes">
        <Tree />
        <Edge
          direction="vertical"
          label="Sidebar width"
          value={sidebarWidth.value}
          onMove={(x) => {
            sidebarWidth.value = Math.min(640, Math.max(160, x));
          }}
          onStep={(step) => {
            sidebarWidth.value = Math.min(640, Math.max(160, sidebarWidth.value + step * 16));
          }}
        />
      </nav>
      {drawerOpen.value && (
        <div
          class="scrim"
          aria-hidden="true"
          onClick={() => {
            drawerOpen.value = false;
          }}
        />
      )}
      <Workspace />
      {hasLog && (
        <aside class="log-dock" aria-label="Log" style={{ height: `${logHeight.value}px` }}>
          <Edge
            direction="horizontal"
            label="Log panel height"
            value={logHeight.value}
            onMove={(_, y) => {
              logHeight.value = clampLog(innerHeight - y - 28);
            }}
            onStep={(step) => {
              logHeight.value = clampLog(logHeight.value - step * 16);
            }}
          />
          <LogView docked />
        </aside>
      )}
      {isNarrow.value && <PhoneNav />}
      <StatusBar />
      {isNarrow.value && <ConnectionBanner />}
      <Palette />
      <KeyboardSheet />
    </div>
  );
}

/** Search and the views beside the tree; a phone has them at the lower edge (PhoneNav). */
function TopNav() {
  return (
    <>
      <div class="top-middle">
        <button
          type="button"
          class="palette-button"
          onClick={() => openPalette()}
          aria-label="Search or run a command… Ctrl-K (command palette)"
        >
          <Icon name="search" />
          <span>Search or run a command…</span>
          <kbd class="outside">Ctrl-K</kbd>
          <kbd class="inside">Ctrl-Shift-K</kbd>
        </button>
        <ConnectionBanner />
      </div>
      <nav class="top-nav" aria-label="Views">
        {topPlaces().map(({ view, word }) => (
          <button key={word} type="button" class="flat" aria-pressed={isAt(view)} onClick={() => show(view)}>
            <Icon name={typeOf(view.kind).icon} />
            <span class="word">{word}</span>
          </button>
        ))}
        <button
          type="button"
          class="flat"
          aria-pressed={logOpen.value}
          onClick={() => {
            logOpen.value = !logOpen.value;
          }}
        >
          <Icon name="log" />
          <span class="word">Log</span>
        </button>
      </nav>
    </>
  );
}

const clampLog = (height: number) => Math.min(Math.max(80, height), Math.min(900, innerHeight - 200));

interface EdgeProps {
  direction: "vertical" | "horizontal";
  label: string;
  value: number;
  onMove: (x: number, y: number) => void;
  onStep: (step: number) => void;
}

/** An edge that can be dragged, or moved by arrow keys. */
function Edge({ direction, label, value, onMove, onStep }: EdgeProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: an <hr> cannot be moved; this is the WAI-ARIA window splitter
    <div
      class={`edge ${direction}`}
      role="separator"
      tabIndex={0}
      aria-orientation={direction}
      aria-label={label}
      aria-valuenow={Math.round(value)}
      aria-valuemin={80}
      aria-valuemax={900}
      onPointerDown={(event) => drag(event, onMove)}
      onKeyDown={(event) => {
        const step = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
        if (step) onStep(step);
      }}
    />
  );
}

function ToastButton({ toast: { id, action } }: { toast: Toast }) {
  return (
    <button
      type="button"
      onClick={() => {
        action?.run();
        dismiss(id);
      }}
    >
      {action?.label}
    </button>
  );
}

function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite" onPointerEnter={() => holdToasts(true)} onPointerLeave={() => holdToasts(false)}>
      {toasts.value.map((toast) => (
        // Screen readers announce errors at once.
        <p key={toast.id} class={toast.bad ? "bad" : ""} role={toast.bad ? "alert" : undefined}>
          <span>{typeof toast.text === "string" ? toast.text : toast.text()}</span>
          {toast.action && <ToastButton toast={toast} />}
          <IconButton icon="close" label="Dismiss" onClick={() => dismiss(toast.id)} />
        </p>
      ))}
    </div>
  );
}
