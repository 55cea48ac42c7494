import { untracked } from "@preact/signals";
import { findGroup } from "../../../../src/client/mirror.ts";
import type { ProcessTreeNode } from "../../../../src/protocol/resources/resources.ts";
import { type Action, choice, toggle } from "../../actions/action.ts";
import { processesOf } from "../../actions/actions.ts";
import { failedOnes, forbiddenOf, restartFailed } from "../../actions/commands.ts";
import { actionRefusal, opening } from "../../actions/opening.ts";
import { stopped } from "../../actions/undo.ts";
import { verbActions } from "../../actions/verb-actions.ts";
import { configActions } from "../../config/config-actions.ts";
import { features } from "../../features/index.ts";
import { downloadLog, logRefusal } from "../../log/log-view.tsx";
import { refusalOf } from "../../state/access.ts";
import * as layouts from "../../state/layout.ts";
import { logOut } from "../../state/login.ts";
import { membersOf } from "../../state/members.ts";
import { arrange, canPopOut, current, layout, popOut, showBeside } from "../../state/navigation.ts";
import { withRequestToken } from "../../state/page-meta.ts";
import { FONT_SIZE, fontSize, groupStyle, logOpen, screenReader, sidebarWidth, theme } from "../../state/settings.ts";
import { allProcesses, counts, processOf, tree } from "../../state/store.ts";
import { arrangementActions } from "../../tree/arrangement.ts";
import { filtered, filterTree } from "../../tree/tree-filter.ts";
import { foldAll, nextTrouble } from "../../tree/tree-navigation.ts";
import { downloadFrom } from "../../ui/browser/download.ts";
import { isNarrow } from "../../ui/browser/screen.ts";
import { toast } from "../../ui/toasts.ts";
import { sheetOpen } from "../keyboard-sheet.tsx";
import { settingsOpen } from "../settings-dialog.tsx";
import { processViewActions } from "./palette-process.ts";

const isAllowed = (action: Action): boolean => actionRefusal(action) === null;

/** The actions that are possible now, and allowed: of the shown view, its pane and the page. */
export function generalActions(): Action[] {
  return [...undoActions(), ...viewActions(), ...paneActions(), ...pageActions()].filter(isAllowed);
}

/** The same of every process and group, several for each. */
export function memberActions(): Action[] {
  return [...processActions(), ...groupActions(tree.value)].filter(isAllowed);
}

/** The newest stop can be undone while its toast is shown. */
function undoActions(): Action[] {
  const undo = stopped.value;
  if (undo === null) return [];
  const names = undo.names();
  return [
    { title: `Start again what was stopped: ${names.length === 1 ? names[0] : `${names.length} processes`}`, near: true, run: undo.run },
  ];
}

function viewActions(): Action[] {
  const view = current.value;
  const process = view.kind === "process" ? processOf(view.name) : undefined;
  const actions: Action[] = process ? processViewActions(process) : [];
  if (canPopOut(view)) actions.push({ title: "Open in new window", keys: "p", near: true, run: () => popOut(view) });
  if (view.kind === "group") actions.push(...groupViewActions(view.name));
  const config = configActions.value;
  if (config) {
    actions.push(
      { title: "Save configuration file", keys: "Ctrl-S", near: true, run: config.save },
      { title: "Compare with saved file", near: true, run: config.compare },
      { title: "Show or hide versions of this file", near: true, run: config.versions },
      { title: "Reload configuration: preview changes", near: true, run: config.reload },
    );
  }
  return actions;
}

function groupViewActions(name: string): Action[] {
  const node = findGroup(tree.value, name);
  const views = node ? membersOf(node).slice(0, 9) : [];
  return [
    ...(node ? verbActions(name, { kind: "group", name }, processesOf(node), true) : []),
    choice("Show the group's processes in a grid", layout, layouts.grid(views.map((member) => ({ kind: "process", name: member })))),
  ];
}

function paneActions(): Action[] {
  const pane = layouts.focusedPane(layout.value);
  return [
    // A phone shows one pane.
    { title: "Split right", keys: "\\", near: !isNarrow.value, run: () => splitFocused("row") },
    { title: "Split down", keys: "-", near: !isNarrow.value, run: () => splitFocused("column") },
    { title: "Close tab", keys: "w", near: true, run: () => closeFocused() },
    {
      title: "Keep this tab",
      run: () => {
        layout.value = layouts.keep(layout.value, pane.id, pane.active);
      },
    },
    {
      title: "Next tab",
      keys: "]",
      run: () => {
        arrange(layouts.stepTab(layout.value, 1));
      },
    },
    {
      title: "Previous tab",
      keys: "[",
      run: () => {
        arrange(layouts.stepTab(layout.value, -1));
      },
    },
    {
      title: "Next pane",
      keys: "`",
      run: () => {
        arrange(layouts.stepPane(layout.value));
      },
    },
    choice("Close all other tabs and panes", layout, layouts.newLayout(layouts.activeView(pane))),
  ];
}

export function splitFocused(direction: layouts.Direction): void {
  arrange(layouts.split(layout.value, layouts.focusedPane(layout.value).id, direction));
}

export function closeFocused(): void {
  const pane = layouts.focusedPane(layout.value);
  arrange(layouts.close(layout.value, pane.id, pane.active));
}

function pageActions(): Action[] {
  return [
    opening("Overview", { kind: "overview" }, { keys: "o", near: true }),
    opening("All processes", { kind: "all" }, { keys: "a", near: true }),
    opening("Configuration", { kind: "config" }, { keys: "c", near: true }),
    ...features.flatMap(({ keys = [] }) => keys),
    ...features.flatMap(({ actions }) => actions?.() ?? []),
    opening("Log in a tab", { kind: "log" }, { near: true }),
    ...(isNarrow.value ? [] : [toggle("log panel", "l", logOpen)]),
    { title: "Log in new window", run: () => popOut({ kind: "log" }) },
    ...(logRefusal() === null ? [{ title: "Download the log", run: downloadLog }] : []),
    ...(counts.value.has("error") && forbiddenOf("start", failedOnes()) === null
      ? [{ title: "Restart all failed processes", near: true, run: restartFailed }]
      : []),
    {
      title: "Next failed process",
      keys: "n",
      near: true,
      run: nextTrouble,
    },
    ...(archiveRefusal() === null ? [{ title: "Download diagnostics archive", run: saveAll }] : []),
    ...filterActions(),
    ...arrangementActions(),
    { title: "Expand all groups", run: () => foldAll(true) },
    { title: "Collapse all groups", run: () => foldAll(false) },
    choice("Reset sidebar width", sidebarWidth, 264),
    choice("Theme: system", theme, "system"),
    choice("Theme: dark", theme, "dark"),
    choice("Theme: light", theme, "light"),
    choice("Larger terminal text", fontSize, Math.min(FONT_SIZE.most, fontSize.value + 1)),
    choice("Smaller terminal text", fontSize, Math.max(FONT_SIZE.least, fontSize.value - 1)),
    choice("Reset terminal text size", fontSize, FONT_SIZE.usual),
    choice("Show groups as tables", groupStyle, "table"),
    choice("Show groups as terminals", groupStyle, "terminals"),
    choice(`Terminal screen reader mode: turn ${screenReader.value ? "off" : "on"}`, screenReader, !screenReader.value),
    { ...choice("Settings", settingsOpen, true), keys: ",", near: true },
    { ...choice("Keyboard shortcuts", sheetOpen, true), keys: "?", near: true },
    { title: "Log out", run: () => void logOut() },
  ];
}

/** Actions of the tree's filter, and commands for all processes that it matches. */
function filterActions(): Action[] {
  const names = filtered.value;
  const some: Action[] = [
    { title: "Show only failed and restarting processes in the tree", run: () => filterTree("is:trouble") },
    { title: "Show all processes in the tree", run: () => filterTree("") },
  ];
  if (names === null || names.length === 0) return some;
  const what = names.length === 1 ? "the filtered process" : `all ${names.length} filtered processes`;
  return [
    ...some,
    ...verbActions(
      what,
      { kind: "list", title: what, names },
      names.flatMap((name) => processOf(name) ?? []),
      true,
    ),
  ];
}

const archiveRefusal = () => refusalOf({ need: "admin", on: null }, "The diagnostics archive");

/** Downloads the diagnostics archive. Its creation takes a while; the browser shows the download. */
function saveAll(): void {
  toast("Creating the archive. The download starts automatically.");
  downloadFrom(withRequestToken("/save-all"));
}

function processActions(): Action[] {
  return allProcesses().flatMap((process) => {
    const { name } = process;
    return [
      opening(`Go to ${name}`, { kind: "process", name }, { isPlace: true }),
      { title: `Open ${name} beside`, run: () => showBeside({ kind: "process", name }) },
      ...verbActions(name, { kind: "process", name }, [process]),
    ];
  });
}

function groupActions(nodes: readonly ProcessTreeNode[]): Action[] {
  return nodes.flatMap((node) => {
    if (node.type === "process") return [];
    const { name } = node;
    const own: Action[] = [
      opening(`Go to group ${name}`, { kind: "group", name }, { isPlace: true }),
      // The caller depends on all processes anyway.
      ...verbActions(
        `group ${name}`,
        { kind: "group", name },
        untracked(() => processesOf(node)),
      ),
    ];
    return [...own, ...groupActions(node.children)];
  });
}
