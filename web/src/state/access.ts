import { signal } from "@preact/signals";
import type { Snapshot } from "../../../src/protocol/resources/resources.ts";
import type { Judge, Members } from "./access-judge.ts";
import type { Wanted } from "./wanted.ts";

const MAY_ALL: Judge = () => null;
const judge = signal<Judge>(MAY_ALL);
/** The roles that are in effect; undefined: none yet. */
let known: Snapshot["access"] | null | undefined;
/** Loaded for users only who may not do everything. */
let judgeOf: typeof import("./access-judge.ts").judgeOf | null = null;

/**
 * The reason why the user may not request this, as a sentence; null: the user may. Buttons are disabled by it and say it; menus, palette and
 * navigation leave out what it refuses. `what`: the beginning of the sentence.
 */
export const refusalOf = (wanted: Wanted, what = "This"): string | null => judge.value(wanted, what);

/** Whether nothing is refused. Quicker than asking about each of many requests. */
export const mayAll = (): boolean => judge.value === MAY_ALL;

/**
 * Takes over what a snapshot says. Returns whether it is in effect; else the rules are being loaded, and `again` is called afterwards.
 * `members`: the processes of a name, which may be that of a group.
 */
export function takeAccess(access: Snapshot["access"] | null, members: Members, again: () => void): boolean {
  if (access === known) return true;
  const isAdmin = access === null || access === undefined || access.grants.some(({ role, on }) => role === "admin" && on === null);
  if (isAdmin) judge.value = MAY_ALL;
  else if (judgeOf !== null) judge.value = judgeOf(access.grants, members);
  else {
    void loadRules().then(again);
    return false;
  }
  known = access;
  return true;
}

/** If the rules cannot be loaded, the manager alone refuses. */
async function loadRules(): Promise<void> {
  try {
    ({ judgeOf } = await import("./access-judge.ts"));
  } catch (error) {
    console.info("the rules of access could not be loaded:", error);
    judgeOf = () => MAY_ALL;
  }
}
