import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { FONT_SIZE, fontSize, groupStyle, screenReader, theme } from "../state/settings.ts";
import { Dialog } from "../ui/dialog.tsx";

export const settingsOpen = signal(false);

/** The user's settings, which are stored in this browser. */
export function SettingsDialog() {
  if (!settingsOpen.value) return null;
  return (
    <Dialog
      label="Settings"
      class="settings"
      title
      onClose={() => {
        settingsOpen.value = false;
      }}
    >
      <Choice
        legend="Theme"
        setting={theme}
        values={[
          ["system", "system"],
          ["dark", "dark"],
          ["light", "light"],
        ]}
      />
      <Choice
        legend="Groups"
        setting={groupStyle}
        values={[
          ["table", "tables"],
          ["terminals", "terminals"],
        ]}
      />
      <Choice
        legend="Screen readers"
        setting={screenReader}
        values={[
          [false, "off"],
          [true, "announce terminal output"],
        ]}
      />
      <label class="setting">
        <span>Terminal text size</span>
        <input
          type="range"
          min={FONT_SIZE.least}
          max={FONT_SIZE.most}
          value={fontSize.value}
          aria-valuetext={`${fontSize.value} pixels`}
          onInput={(event) => {
            fontSize.value = Number(event.currentTarget.value);
          }}
        />
        <span class="sample" style={{ fontSize: `${fontSize.value}px` }}>
          {fontSize.value} px
        </span>
      </label>
      <p class="soft">Stored in this browser. The command palette (Ctrl-K) has more.</p>
    </Dialog>
  );
}

interface ChoiceProps<T> {
  legend: string;
  setting: { value: T };
  values: readonly (readonly [T, ComponentChildren])[];
}

function Choice<T extends string | boolean>({ legend, setting, values }: ChoiceProps<T>) {
  return (
    <fieldset class="setting">
      <legend>{legend}</legend>
      {values.map(([value, words]) => (
        <label key={String(value)} class="check">
          <input
            type="radio"
            name={legend}
            checked={setting.value === value}
            onChange={() => {
              setting.value = value;
            }}
          />
          {words}
        </label>
      ))}
    </fieldset>
  );
}
