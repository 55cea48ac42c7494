import { signal } from "@preact/signals";

/** Keys that a phone's keyboard lacks, and the text that each one types. Cursor keys follow the terminal's mode. */
const CURSOR_KEYS = { up: "A", down: "B", right: "C", left: "D", home: "H", end: "F" } as const;
const OTHER_KEYS = { esc: "\x1b", tab: "\t", pageUp: "\x1b[5~", pageDown: "\x1b[6~" } as const;

export type TouchKey = keyof typeof CURSOR_KEYS | keyof typeof OTHER_KEYS | "|" | "/" | "-" | "~";
/** Duration of a modifier: tapped once, for the next key; tapped twice, until it is tapped again. */
export type Held = "off" | "once" | "locked";
export type Modifier = "ctrl" | "alt";
export type Modifiers = Readonly<Record<Modifier, Held>>;

const NO_MODIFIERS: Modifiers = { ctrl: "off", alt: "off" };

/** The modifiers that apply to the next text from the key bar or the phone's keyboard. */
export const heldModifiers = signal(NO_MODIFIERS);

export function releaseModifiers(): void {
  heldModifiers.value = NO_MODIFIERS;
}

const AFTER_TAP = { off: "once", once: "locked", locked: "off" } as const;

/** Handles a tap on a modifier; returns its new state. */
export function tapModifier(which: Modifier): Held {
  const held = AFTER_TAP[heldModifiers.value[which]];
  heldModifiers.value = { ...heldModifiers.value, [which]: held };
  return held;
}

/** The text to send for typed text; releases the modifiers that were held for one key. */
export function typedText(text: string): string {
  const { ctrl, alt } = heldModifiers.peek();
  if (ctrl === "off" && alt === "off") return text;
  const changed = withModifiers(text, { ctrl, alt });
  // Not a key: the terminal reports the mouse or the focus.
  if (changed === text && text.startsWith("\x1b[")) return text;
  const next = (held: Held) => (held === "once" ? "off" : held);
  heldModifiers.value = { ctrl: next(ctrl), alt: next(alt) };
  return changed;
}

export function textOfKey(key: TouchKey, isApplicationMode: boolean): string {
  if (key in CURSOR_KEYS) return `\x1b${isApplicationMode ? "O" : "["}${CURSOR_KEYS[key as keyof typeof CURSOR_KEYS]}`;
  return key in OTHER_KEYS ? OTHER_KEYS[key as keyof typeof OTHER_KEYS] : key;
}

/** The control characters of Ctrl with keys other than letters, as in xterm. */
const CTRL_CHARACTERS: Readonly<Record<string, string>> = {
  " ": "\0",
  "2": "\0",
  "3": "\x1b",
  "4": "\x1c",
  "5": "\x1d",
  "6": "\x1e",
  "7": "\x1f",
  "8": "\x7f",
  "/": "\x1f",
  "-": "\x1f",
  "?": "\x7f",
  "~": "\x1e",
};

function withCtrl(character: string): string {
  return /^[@-_a-z]$/.test(character) ? String.fromCharCode(character.charCodeAt(0) & 0x1f) : (CTRL_CHARACTERS[character] ?? character);
}

/** The text of a key with the held modifiers. Text of several keys, such as a word that a phone's keyboard completes, is not changed. */
export function withModifiers(text: string, { ctrl, alt }: Modifiers): string {
  const isCtrl = ctrl !== "off";
  const isAlt = alt !== "off";
  const number = 1 + (isAlt ? 2 : 0) + (isCtrl ? 4 : 0);
  // Keys that have a form with modifiers (xterm's "modifyCursorKeys").
  const [, cursorKey] = /^␛[O[]([A-DHF])$/.exec(text.replace("\x1b", "␛")) ?? [];
  if (cursorKey) return `\x1b[1;${number}${cursorKey}`;
  const [, pageKey] = /^␛\[([56])~$/.exec(text.replace("\x1b", "␛")) ?? [];
  if (pageKey) return `\x1b[${pageKey};${number}~`;
  if (text.length !== 1) return text;
  return `${isAlt ? "\x1b" : ""}${isCtrl ? withCtrl(text) : text}`;
}
