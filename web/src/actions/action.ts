import type { View } from "../state/views.ts";
import type { Wanted } from "../state/wanted.ts";

/** An action that the user can run, as listed in the palette. */
export interface Action {
  title: string;
  keys?: string;
  /** The palette offers it before anything is typed. */
  near?: boolean;
  /** Opens a process or group: it ranks higher when its name is typed. */
  isPlace?: boolean;
  /** Stops or ends something: it is never preselected. */
  isDanger?: boolean;
  /** Whether it asks for confirmation before it acts; called for the actions that are shown. */
  asks?: () => boolean;
  /** The frame that it sends: it is not offered to users who may not send it. */
  sends?: Wanted;
  /** The view that it opens: it is not offered to users who may not open it. */
  view?: View;
  run: () => void;
}

/** An action that turns a setting on or off. */
export function toggle(what: string, keys: string | undefined, setting: { value: boolean }): Action {
  const action: Action = {
    title: `${setting.value ? "Hide" : "Show"} ${what}`,
    near: true,
    run: () => {
      setting.value = !setting.value;
    },
  };
  return keys === undefined ? action : { ...action, keys };
}

/** An action that gives a setting a value. */
export function choice<T>(title: string, setting: { value: T }, value: T): Action {
  return {
    title,
    run: () => {
      setting.value = value;
    },
  };
}
