import { allows, type Grant, type Need, needText } from "../../../src/base/access/access.ts";
import type { Snapshot } from "../../../src/protocol/resources/resources.ts";
import table from "./frame-needs.json" with { type: "json" };
import type { Wanted } from "./wanted.ts";

/** The reason why a user may not request something, as a sentence that begins with `what`; null: the user may. */
export type Judge = (wanted: Wanted, what: string) => string | null;

/** The processes of a name: one, or those of a group. */
export type Members = (name: string) => readonly string[];

type Needs = Readonly<Record<string, Need>>;
/** Generated from the tables of frames: needs of frames about a name, of those about what belongs to no process or to some, and of fields. */
const NEEDS = table as Readonly<{ name: Needs; everything: Needs; owned: Needs; fields: Readonly<Record<string, Needs>> }>;

/** Judges by the grants of a snapshot, as the manager does. */
export function judgeOf(written: NonNullable<Snapshot["access"]>["grants"], members: Members): Judge {
  const grants = written.map(
    ({ role, on, may_download, may_type }): Grant => ({
      role,
      on,
      ...(may_download ? { mayDownload: true } : {}),
      ...(may_type ? { mayType: true } : {}),
    }),
  );
  return (wanted, what) => {
    for (const { need, on } of needsOf(wanted)) {
      const where = placeOfRefusal(grants, need, typeof on === "string" ? members(on) : on);
      if (where !== null) return `${what} needs ${needText(need)} on ${where}.`;
    }
    return null;
  };
}

/** The place where the grants do not suffice, in words: on all of these processes, or on everything (null). */
function placeOfRefusal(grants: readonly Grant[], need: Need, names: readonly string[] | null): string | null {
  if (names === null) return allows(grants, need, null) ? null : "everything";
  const refused = names.filter((name) => !allows(grants, need, name));
  if (refused.length === 0) return null;
  return refused.length === 1 ? `'${refused[0]}'` : `all of these ${names.length} processes`;
}

/** The needs of a request, each on a process or group, on several processes, or on everything. */
function needsOf(wanted: Wanted): readonly { readonly need: Need; readonly on: string | readonly string[] | null }[] {
  if (!("type" in wanted)) return [wanted];
  const { type, name, owners } = wanted;
  if (owners !== undefined) return [NEEDS.owned[type] ?? []].flat().map((need) => ({ need, on: owners }));
  const general = NEEDS.everything[type];
  const on = general === undefined && typeof name === "string" ? name : null;
  const values: Readonly<Record<string, unknown>> = wanted;
  const ofFields = Object.entries(NEEDS.fields[type] ?? {}).flatMap(([field, need]) => ((values[field] ?? false) === false ? [] : [need]));
  return [general ?? NEEDS.name[type] ?? [], ofFields].flat().map((need) => ({ need, on }));
}
