import { refusalOf } from "../state/access.ts";
import { show } from "../state/navigation.ts";
import { type View, viewRefusal } from "../state/views.ts";
import type { Action } from "./action.ts";

/** The reason why the user may not run an action, as a sentence; null: the user may. */
export function actionRefusal({ sends, view }: Action): string | null {
  return (sends && refusalOf(sends)) ?? (view && viewRefusal(view)) ?? null;
}

/** An action that opens a view. */
export function opening<More extends Partial<Action>>(title: string, view: View, more?: More): Action & More {
  return { title, view, run: () => show(view), ...(more as More) };
}
