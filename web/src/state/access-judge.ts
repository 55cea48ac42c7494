import { allows, type Grant, type Need, needText } from "../../../src/base/access.ts";
import type { Snapshot } from "../../../src/protocol/resources/resources.ts";

/** Processes, by name or found when they are needed, or what belongs to no process. */
type Subject = readonly string[] | "everything" | (() => readonly string[]);

/** The reason why a user may not do something to all of these processes, or to what belongs to no process, as a sentence; null if the user may. */
export type Judge = (what: string, need: Need, on: Subject) => string | null;

/** Judges by the grants of a snapshot, as the manager does. */
export function judgeOf(written: NonNullable<Snapshot["access"]>["grants"]): Judge {
  const grants = written.map(
    ({ role, on, may_download, may_type }): Grant => ({
      role,
      on,
      ...(may_download ? { mayDownload: true } : {}),
      ...(may_type ? { mayType: true } : {}),
    }),
  );
  return (what, need, subject) => {
    const on = typeof subject === "function" ? subject() : subject;
    if (on === "everything") return allows(grants, need, null) ? null : `${what} needs ${needText(need)} on everything.`;
    const refused = on.filter((name) => !allows(grants, need, name));
    if (refused.length === 0) return null;
    const [one] = refused;
    return `${what} needs ${needText(need)} on ${refused.length === 1 ? `'${one}'` : `all of these ${on.length} processes`}.`;
  };
}
