/** Something that can be done, as the palette offers it. */
export interface Action {
  title: string;
  keys?: string;
  /** Offered before anything is typed. */
  near?: boolean;
  /** Goes to a process or group: comes first where its name is typed. */
  isPlace?: boolean;
  /** Ends something: never preselected. */
  isDanger?: boolean;
  /** Asks before it acts. */
  asks?: boolean;
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
