import { effect, type Signal, signal } from "@preact/signals";
import { matchesMedia } from "../ui/browser/screen.ts";

/** A setting that this browser keeps in localStorage; it is validated when it is read. */
export function kept<T>(name: string, initial: T, read: (value: unknown) => T | null): Signal<T> {
  const key = `mgr.${name}`;
  const held = signal(restore(key, read) ?? initial);
  effect(() => {
    const text = JSON.stringify(held.value);
    try {
      localStorage.setItem(key, text);
    } catch {
      // Storage is off or full: the page works without it.
    }
  });
  return held;
}

function restore<T>(key: string, read: (value: unknown) => T | null): T | null {
  try {
    return read(JSON.parse(localStorage.getItem(key) ?? "null"));
  } catch {
    return null; // Storage is off, or holds something else.
  }
}

const isBoolean = (value: unknown) => (typeof value === "boolean" ? value : null);
const numberIn = (least: number, most: number) => (value: unknown) =>
  typeof value === "number" && value >= least && value <= most ? value : null;
const oneOf =
  <T extends string>(...values: T[]) =>
  (value: unknown) =>
    values.find((one) => one === value) ?? null;

export const theme = kept<"system" | "dark" | "light">("theme", "system", oneOf("system", "dark", "light"));
/** Font size of terminals, px. */
export const FONT_SIZE = { least: 8, usual: 13, most: 28 } as const;
export const fontSize = kept("fontSize", FONT_SIZE.usual, numberIn(FONT_SIZE.least, FONT_SIZE.most));
export const sidebarWidth = kept("sidebarWidth", 264, numberIn(160, 640));
export const logHeight = kept("logHeight", 190, numberIn(80, 900));
export const logOpen = kept("logOpen", false, isBoolean);
export const screenReader = kept("screenReader", false, isBoolean);
export const groupStyle = kept<"table" | "terminals">("groupStyle", "table", oneOf("table", "terminals"));
/** Groups that the user has folded or opened, by name. */
export const folds = kept<Record<string, boolean>>("folds", {}, (value) =>
  typeof value === "object" && value !== null ? (value as Record<string, boolean>) : null,
);
/** What the tree is arranged by, as the beginning of its headings' names; "": groups. */
export const treeArrangement = kept("treeArrangement", "", (value) => (typeof value === "string" ? value : null));
export const storedLayout = kept<unknown>("layout", null, (value) => value);

/** Whether the system prefers light colours. */
const systemLight = matchesMedia("(prefers-color-scheme: light)");
export const shade = signal<"dark" | "light">("dark");
effect(() => {
  shade.value = theme.value === "system" ? (systemLight.value ? "light" : "dark") : theme.value;
  document.documentElement.dataset.theme = shade.value;
});
