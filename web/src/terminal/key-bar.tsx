import { useEffect, useRef } from "preact/hooks";
import type { OpenTerminal } from "./terminal.ts";
import { heldModifiers, type Modifier, releaseModifiers, type TouchKey, tapModifier } from "./touch-keys.ts";

/** As Termux and Blink have them: what shells and editors need most comes first, the rest by scrolling. */
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
/** A key that is held down repeats, as on a keyboard, milliseconds. */
const REPEAT_AFTER_MS = 450;
const REPEAT_EACH_MS = 70;

/** Keys that a phone's keyboard lacks, below the terminal. They leave the focus where it is: the keyboard stays up, or stays away. */
export function KeyBar({ terminal }: { terminal: OpenTerminal | null }) {
  // What was held for one terminal is not for the next.
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
        // What comes next is typed on the phone's keyboard, as a rule.
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
  /** It has repeated: the click at its end is no further key. */
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
      // Scrolling the bar cancels, too.
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
