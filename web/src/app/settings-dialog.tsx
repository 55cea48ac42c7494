import { signal } from "@preact/signals";
import { features } from "../features/index.ts";
import { FONT_SIZE, fontSize, groupStyle, screenReader, theme } from "../state/settings.ts";
import { Choice } from "../ui/choice.tsx";
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
      {features.map(({ Settings }, index) => Settings && <Settings key={index} />)}
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
