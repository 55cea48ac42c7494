import { useRef } from "preact/hooks";
import { Icon } from "../../ui/marks/icons.tsx";
import type { DisplayScreen } from "./display-screen.ts";
import { typedDifference } from "./typed-text.ts";

/** Text that is always in the field, so that a phone's keyboard can delete something. */
const FILLER = " ".repeat(16);
/** Maximum length of the text in the field, characters: a keyboard's suggestions do not use more. */
const MAX_LENGTH = 200;
const KEYS = [
  ["Esc", "Escape"],
  ["Tab", "Tab"],
  ["←", "Left"],
  ["↑", "Up"],
  ["↓", "Down"],
  ["→", "Right"],
] as const;
const LABELS: Readonly<Record<string, string>> = { Left: "Left", Up: "Up", Down: "Down", Right: "Right" };

/** Opens a phone's keyboard, and has the keys that it lacks. A canvas cannot open one, so the text is typed into a field. */
export function TouchKeyboard({ screen }: { screen: DisplayScreen }) {
  const field = useRef<HTMLTextAreaElement>(null);
  const before = useRef(FILLER);
  return (
    <div class="key-bar" role="toolbar" aria-label="Keys">
      <button type="button" class="key" onClick={() => field.current?.focus()}>
        <Icon name="keyboard" /> Keyboard
      </button>
      {KEYS.map(([face, key]) => (
        <button
          key={key}
          type="button"
          class="key"
          aria-label={LABELS[key]}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => screen.press([key])}
        >
          {face}
        </button>
      ))}
      <textarea
        ref={field}
        class="display-keyboard"
        aria-label="Type into the display"
        autocapitalize="off"
        autocomplete="off"
        spellcheck={false}
        defaultValue={FILLER}
        onInput={({ currentTarget }) => {
          const { backspaces, text } = typedDifference(before.current, currentTarget.value);
          screen.type(text, backspaces);
          const { length } = currentTarget.value;
          if (length < FILLER.length / 2 || length > MAX_LENGTH || text.includes("\n")) currentTarget.value = FILLER;
          before.current = currentTarget.value;
        }}
      />
    </div>
  );
}
