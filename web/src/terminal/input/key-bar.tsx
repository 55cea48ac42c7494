import { useEffect, useRef } from "preact/hooks";
import type { OpenTerminal } from "../terminal.ts";
import { heldModifiers, type Modifier, releaseModifiers, type TouchKey, tapModifier } from "./touch-keys.ts";

/** Keys in the order of Termux and Blink: those that shells and editors need most come first, the others are reached by scrolling. */
const MODIFIERS: readonly [Modifier, string][] = [
  ["ctrl", "Ctrl"],
  ["alt", "Alt"],
];
const KEYS: readonly [key: TouchKey, face: string, label?: string][] = [
  ["up", "↑", "Up"],
  ["down", "↓", "Down"],
  ["left", "←", "Left"],
  ["right", "→", "Right"],
  ["|", "|", "Pipe |"],
  ["/", "/", "Slash /"],
  ["-", "-", "Hyphen -"],
  ["~", "~", "Tilde ~"],
  ["home", "Home"],
  ["end", "End"],
  ["pageUp", "PgUp"],
  ["pageDown", "PgDn"],
];
/** Delay and interval of the repeats of a key that is held down, ms. */
const REPEAT_AFTER_MS = 450;
const REPEAT_EACH_MS = 70;

/** Keys that a phone's keyboard lacks, below the terminal. They do not move the focus, so that the keyboard stays open or closed. */
export function KeyBar({ terminal }: { terminal: OpenTerminal | null }) {
  // Modifiers that were held for one terminal are released for the next.
  useEffect(() => releaseModifiers, [terminal]);
  return (
    <div class="key-bar" role="toolbar" aria-label="Keys">
      <Key terminal={terminal} of="esc" face="Esc" />
      <Key terminal={terminal} of="tab" face="Tab" />
      {MODIFIERS.map(([which, face]) => (
        <ModifierKey key={which} terminal={terminal} which={which} face={face} />
      ))}
      {KEYS.map(([key, face, label]) => (
        <Key key={key} terminal={terminal} of={key} face={face} label={label} />
      ))}
    </div>
  );
}

const keepFocus = (event: MouseEvent) => event.preventDefault();

function ModifierKey({ terminal, which, face }: { terminal: OpenTerminal | null; which: Modifier; face: string }) {
  const held = heldModifiers.value[which];
  return (
    <button
      type="button"
      class={`key ${held}`}
      aria-pressed={held !== "off"}
      aria-label={held === "locked" ? `${face}, locked` : face}
      onMouseDown={keepFocus}
      onClick={() => {
        // The next character is usually typed on the phone's keyboard.
        if (tapModifier(which) === "once") terminal?.focus();
      }}
    >
      {face}
    </button>
  );
}

function Key({
  terminal,
  of: key,
  face,
  label,
}: {
  terminal: OpenTerminal | null;
  of: TouchKey;
  face: string;
  label?: string | undefined;
}) {
  const repeat = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  /** Whether the key has repeated: the click at its end is then not another press. */
  const hasRepeated = useRef(false);
  const press = () => terminal?.press(key);
  const release = () => clearTimeout(repeat.current);
  useEffect(() => release, []);
  return (
    <button
      type="button"
      class="key"
      aria-label={label}
      onMouseDown={keepFocus}
      onPointerDown={() => {
        hasRepeated.current = false;
        const again = () => {
          hasRepeated.current = true;
          press();
          repeat.current = setTimeout(again, REPEAT_EACH_MS);
        };
        repeat.current = setTimeout(again, REPEAT_AFTER_MS);
      }}
      // Scrolling the bar cancels the press, too.
      onPointerUp={release}
      onPointerLeave={release}
      onPointerCancel={release}
      onContextMenu={(event) => event.preventDefault()}
      onClick={() => {
        if (!hasRepeated.current) press();
        hasRepeated.current = false;
      }}
    >
      {face}
    </button>
  );
}
