import type { ComponentChildren } from "preact";

interface ChoiceProps<T> {
  legend: string;
  setting: { value: T };
  values: readonly (readonly [T, ComponentChildren])[];
}

/** A setting with a few values, in the dialog of the settings. */
export function Choice<T extends string | boolean>({ legend, setting, values }: ChoiceProps<T>) {
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
