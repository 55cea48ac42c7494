import { signal } from "@preact/signals";
import type { Snapshot } from "../../../src/protocol/resources/resources.ts";
import type { Judge } from "./access-judge.ts";

const judge = signal<Judge>(() => null);

/** The reason why the user may not do this to all of these processes, or to what belongs to no process; null: the user may. */
export const refusalOf: Judge = (...asked) => judge.value(...asked);

/** Takes over what a snapshot says. The rules are loaded for users only who may not do everything; until then the manager alone refuses. */
export function takeAccess(access: Snapshot["access"] | null): void {
  const isAdmin = access === null || access === undefined || access.grants.some(({ role, on }) => role === "admin" && on === null);
  if (isAdmin) judge.value = () => null;
  else
    void import("./access-judge.ts").then(({ judgeOf }) => {
      judge.value = judgeOf(access.grants);
    });
}
