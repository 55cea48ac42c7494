import type { ProcessTreeNode } from "../../src/protocol/resources.ts";
import { canDo, type Verb } from "./actions.ts";
import { sheetOpen } from "./keyboard-sheet.tsx";
import * as layouts from "./layout.ts";
import { current, layout, popOut, show, showBeside } from "./navigation.ts";
import { detailsOpen, fontSize, groupStyle, logOpen, screenReader, theme } from "./settings.ts";
import { allProcesses, command, processOf, tree } from "./store.ts";
import { complain } from "./toasts.ts";
import { filterTree } from "./tree.tsx";
import { findGroup, membersOf } from "./tree-rows.ts";

export interface Action {
  title: string;
  keys?: string;
  /** Offered before anything is typed. */
  near?: boolean;
  run: () => void;
}

const VERBS: readonly [Verb, string, string][] = [
  ["start", "Start", "s"],
  ["stop", "Stop", "x"],
  ["restart", "Restart", "r"],
];

/** Everything that can be done now. */
export function allActions(): Action[] {
  return [...viewActions(), ...pageActions(), ...processActions(), ...groupActions(tree.value)];
}

/** What concerns the view that has the focus. */
function viewActions(): Action[] {
  const view = current.value;
  const pane = layouts.focusedPane(layout.value);
  const actions: Action[] = [];
  if (view.kind === "process" || view.kind === "group") {
    const { kind, name } = view;
    const process = kind === "process" ? processOf(name) : undefined;
    for (const [verb, word, keys] of VERBS) {
      if (kind === "process" && (!process || !canDo(verb, process))) continue;
      actions.push({ title: `${word} ${name}`, keys, near: true, run: () => void command({ type: `${verb}_${kind}`, name }) });
    }
    actions.push({ title: "Open in a window of its own", keys: "p", near: true, run: () => popOut(view) });
  }
  if (view.kind === "group") {
    const node = findGroup(tree.value, view.name);
    const views = node
      ? membersOf(node)
          .slice(0, 9)
          .map((name) => ({ kind: "process" as const, name }))
      : [];
    actions.push({
      title: "Show the group's processes in a grid of panes",
      near: true,
      run: () => {
        layout.value = layouts.grid(views);
      },
    });
  }
  if (view.kind === "process") actions.push(toggle("Details of the process", "d", detailsOpen));
  return [
    ...actions,
    { title: "Split right", keys: "\\", near: true, run: () => splitFocused("row") },
    { title: "Split down", keys: "-", near: true, run: () => splitFocused("column") },
    { title: "Close tab", keys: "w", near: true, run: () => closeFocused() },
    {
      title: "Close all other tabs and panes",
      run: () => {
        layout.value = layouts.newLayout(layouts.activeView(pane));
      },
    },
  ];
}

export function splitFocused(direction: layouts.Direction): void {
  layout.value = layouts.split(layout.value, layouts.focusedPane(layout.value).id, direction);
}

export function closeFocused(): void {
  const pane = layouts.focusedPane(layout.value);
  layout.value = layouts.close(layout.value, pane.id, pane.active);
}

function toggle(what: string, keys: string | undefined, setting: { value: boolean }): Action {
  const action: Action = {
    title: `${setting.value ? "Hide" : "Show"} ${what.charAt(0).toLowerCase()}${what.slice(1)}`,
    near: true,
    run: () => {
      setting.value = !setting.value;
    },
  };
  return keys === undefined ? action : { ...action, keys };
}

function pageActions(): Action[] {
  return [
    { title: "Overview", keys: "o", near: true, run: () => show({ kind: "overview" }) },
    { title: "Configuration", keys: "c", near: true, run: () => show({ kind: "config" }) },
    { title: "Process list", keys: "t", near: true, run: () => show({ kind: "tasks" }) },
    toggle("The log below", "l", logOpen),
    { title: "Log in a tab", near: true, run: () => show({ kind: "log" }) },
    { title: "Log in a window of its own", run: () => popOut({ kind: "log" }) },
    { title: "Show only failed processes in the tree", run: () => filterTree("is:error") },
    { title: "Show all processes in the tree", run: () => filterTree("") },
    {
      title: "Theme: follow the system",
      run: () => {
        theme.value = "system";
      },
    },
    {
      title: "Theme: dark",
      run: () => {
        theme.value = "dark";
      },
    },
    {
      title: "Theme: light",
      run: () => {
        theme.value = "light";
      },
    },
    {
      title: "Larger terminal text",
      keys: "Ctrl-Shift-+",
      run: () => {
        fontSize.value = Math.min(28, fontSize.value + 1);
      },
    },
    {
      title: "Smaller terminal text",
      keys: "Ctrl-Shift--",
      run: () => {
        fontSize.value = Math.max(8, fontSize.value - 1);
      },
    },
    {
      title: "Groups as tables",
      run: () => {
        groupStyle.value = "table";
      },
    },
    {
      title: "Groups as live terminals",
      run: () => {
        groupStyle.value = "terminals";
      },
    },
    {
      title: `Turn ${screenReader.value ? "off" : "on"} screen-reader mode of terminals`,
      run: () => {
        screenReader.value = !screenReader.value;
      },
    },
    {
      title: "Keyboard shortcuts",
      keys: "?",
      near: true,
      run: () => {
        sheetOpen.value = true;
      },
    },
    { title: "Log out", run: () => void logOut() },
  ];
}

async function logOut(): Promise<void> {
  try {
    const response = await fetch("/mgr/logout", { method: "POST" });
    if (!response.ok) throw new Error((await response.text()) || `the manager answered ${response.status}`);
    location.reload();
  } catch (error) {
    complain(error);
  }
}

function processActions(): Action[] {
  return allProcesses().flatMap((process) => {
    const { name } = process;
    return [
      { title: `Go to ${name}`, run: () => show({ kind: "process", name }) },
      { title: `Open ${name} beside`, run: () => showBeside({ kind: "process", name }) },
      ...VERBS.filter(([verb]) => canDo(verb, process)).map(([verb, word]) => ({
        title: `${word} ${name}`,
        run: () => void command({ type: `${verb}_process`, name }),
      })),
    ];
  });
}

function groupActions(nodes: ProcessTreeNode[]): Action[] {
  return nodes.flatMap((node) => {
    if (node.type === "process") return [];
    const { name } = node;
    const own: Action[] = [
      { title: `Go to group ${name}`, run: () => show({ kind: "group", name }) },
      ...VERBS.map(([verb, word]) => ({ title: `${word} group ${name}`, run: () => void command({ type: `${verb}_group`, name }) })),
    ];
    return [...own, ...groupActions(node.children)];
  });
}
