import { refusalOf, type Wanted } from "../state/access.ts";
import { show } from "../state/navigation.ts";
import { type View, viewRefusal } from "../state/views.ts";

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
  /** Asks for confirmation before it acts. */
  asks?: boolean;
  /** The frame that it sends: it is not offered to users who may not send it. */
  sends?: Wanted;
  /** The view that it opens: it is not offered to users who may not open it. */
  view?: View;
  run: () => void;
}

/** The reason why the user may not run an action, as a sentence; null: the user may. */
export function actionRefusal({ sends, view }: Action): string | null {
  return (sends && refusalOf(sends)) ?? (view && viewRefusal(view)) ?? null;
}

/** An action that opens a view. */
export function opening<More extends Partial<Action>>(title: string, view: View, more?: More): Action & More {
  return { title, view, run: () => show(view), ...(more as More) };
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
