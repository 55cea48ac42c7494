/** Codes of keys in the X protocol (keysymdef.h). */
const KEYSYMS = {
  Backspace: 0xff08,
  Tab: 0xff09,
  Enter: 0xff0d,
  Escape: 0xff1b,
  Left: 0xff51,
  Up: 0xff52,
  Right: 0xff53,
  Down: 0xff54,
  F4: 0xffc1,
  F11: 0xffc8,
  Shift: 0xffe1,
  Control: 0xffe3,
  Alt: 0xffe9,
  Super: 0xffeb,
  Delete: 0xffff,
} as const;
type KeyName = keyof typeof KEYSYMS;

/** Modifiers with their key codes: a server that received a press with its code ignores a release without it. */
export const MODIFIERS = [
  ["ControlLeft", 0xffe3],
  ["ControlRight", 0xffe4],
  ["ShiftLeft", 0xffe1],
  ["ShiftRight", 0xffe2],
  ["AltLeft", 0xffe9],
  ["AltRight", 0xffea],
  ["MetaLeft", 0xffeb],
  ["MetaRight", 0xffec],
] as const;

/** Keys that the page or the browser uses itself, or that a phone lacks; a menu sends them. */
export const SENT_KEYS: readonly { label: string; keys: readonly (KeyName | string)[] }[] = [
  { label: "Esc", keys: ["Escape"] },
  { label: "Tab", keys: ["Tab"] },
  { label: "Super", keys: ["Super"] },
  { label: "Alt-Tab", keys: ["Alt", "Tab"] },
  { label: "Alt-F4", keys: ["Alt", "F4"] },
  { label: "Ctrl-C", keys: ["Control", "c"] },
  { label: "Ctrl-K", keys: ["Control", "k"] },
  { label: "Ctrl-T", keys: ["Control", "t"] },
  { label: "Ctrl-W", keys: ["Control", "w"] },
  { label: "Ctrl-Shift-L", keys: ["Control", "Shift", "l"] },
  { label: "Ctrl-Alt-Del", keys: ["Control", "Alt", "Delete"] },
  { label: "F11", keys: ["F11"] },
];

/** Offset of keysyms to Unicode; characters of Latin-1 have their own codes (X protocol, appendix A). */
const UNICODE = 0x0100_0000;
const isLatin1 = (code: number) => (code >= 0x20 && code <= 0x7e) || (code >= 0xa0 && code <= 0xff);

/** The keysym of a key's name or of a character. */
export function keysymOf(key: KeyName | string): number {
  if (Object.hasOwn(KEYSYMS, key)) return KEYSYMS[key as KeyName];
  if (key === "\n" || key === "\r") return KEYSYMS.Enter;
  if (key === "\t") return KEYSYMS.Tab;
  const code = key.codePointAt(0) ?? 0;
  return isLatin1(code) ? code : UNICODE + code;
}

/** Presses and releases of keys held together: the last named is the first released. */
export function strokesOf(keys: readonly (KeyName | string)[]): { keysym: number; down: boolean }[] {
  const all = keys.map(keysymOf);
  return [...all.map((keysym) => ({ keysym, down: true })), ...all.toReversed().map((keysym) => ({ keysym, down: false }))];
}
