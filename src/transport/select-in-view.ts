import { MgrError } from "../base/errors.ts";
import { isWithin } from "../base/text/names.ts";
import { contains, type ViewMode } from "./view.ts";

/** The processes in view of a connection: that of this name, those of the group, or all for null. Throws `not_found` and `out_of_scope`. */
export function selectInView(all: readonly string[], name: string | null, view: ViewMode): string[] {
  const found = name === null ? all : all.filter((each) => isWithin(each, name));
  const visible = found.filter((each) => contains(view, each));
  // A user who may not see all processes does not learn which of the others exist.
  if (name !== null && found.length === 0 && view.kind !== "granted")
    throw new MgrError("not_found", `there is no process or group '${name}'`);
  if (name !== null && visible.length === 0) throw new MgrError("out_of_scope", `'${name}' is outside the view of this connection`);
  return visible;
}
