import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { Dialog } from "../ui/dialog.tsx";
import { FONT_SIZE, fontSize, groupStyle, screenReader, theme } from "./settings.ts";

export const settingsOpen = signal(false);

/** What everybody arranges for themselves; kept in this browser. */
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
          ["system", "as the system"],
          ["dark", "dark"],
          ["light", "light"],
        ]}
      />
      <Choice
        legend="Groups"
        setting={groupStyle}
        values={[
          ["table", "as tables"],
          ["terminals", "as live terminals"],
        ]}
      />
      <Choice
        legend="Screen readers"
        setting={screenReader}
        values={[
          [false, "off"],
          [true, "lines of terminals are read out"],
        ]}
      />
      <label class="setting">
        <span>Text of terminals</span>
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
      <p class="soft">Kept in this browser. The palette (Ctrl-K) has these and more.</p>
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
