import { signal } from "@preact/signals";
import type { Need } from "../../../src/base/access.ts";
import type { CLIENT_FRAMES, ClientFrameType } from "../../../src/protocol/frames/frames.ts";
import type { Snapshot } from "../../../src/protocol/resources/resources.ts";
import type { Judge, Members } from "./access-judge.ts";

type NamedType = { [T in ClientFrameType]: (typeof CLIENT_FRAMES)[T]["scope"] extends "name" ? T : never }[ClientFrameType];

/** The type of a frame that is about no process of a name. */
export type GeneralFrame = Exclude<ClientFrameType, NamedType>;

/**
 * A request as far as its permission depends on it. A frame: its type, its name if it is about one, and fields that need more; the tables of frames
 * know its need. A request to a route: its need, on a process or group, or on everything (null).
 */
export type Wanted =
  | { readonly type: NamedType; readonly name: string; readonly [field: string]: unknown }
  | { readonly type: GeneralFrame; readonly [field: string]: unknown }
  | { readonly need: Need; readonly on: string | null };

const MAY_ALL: Judge = () => null;
const judge = signal<Judge>(MAY_ALL);
/** Loaded for users only who may not do everything. */
let judgeOf: typeof import("./access-judge.ts").judgeOf | null = null;

/**
 * The reason why the user may not request this, as a sentence; null: the user may. Buttons are disabled by it and say it; menus, palette and
 * navigation leave out what it refuses. `what`: the beginning of the sentence.
 */
export const refusalOf = (wanted: Wanted, what = "This"): string | null => judge.value(wanted, what);

/**
 * Takes over what a snapshot says. Returns whether it is in effect; else the rules are being loaded, and `again` is called afterwards.
 * `members`: the processes of a name, which may be that of a group.
 */
export function takeAccess(access: Snapshot["access"] | null, members: Members, again: () => void): boolean {
  const isAdmin = access === null || access === undefined || access.grants.some(({ role, on }) => role === "admin" && on === null);
  if (isAdmin) judge.value = MAY_ALL;
  else if (judgeOf !== null) judge.value = judgeOf(access.grants, members);
  else void loadRules().then(again);
  return isAdmin || judgeOf !== null;
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
