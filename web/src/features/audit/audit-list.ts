import { batch, signal } from "@preact/signals";
import { messageOf } from "../../../../src/base/errors.ts";
import type { AuditEntry } from "../../../../src/features/audit/wire.ts";
import { formatTime } from "../../../../src/protocol/time.ts";
import { ask } from "../../state/store.ts";

/** Entries of one page. */
const PAGE = 200;
/** Pages without an entry that are searched before the user is asked: each reads up to 4 MiB. */
const MAX_EMPTY_PAGES = 16;

/** The selection of the list, as in the fields of the view. */
export interface AuditFilter {
  readonly user: string;
  readonly command: string;
  readonly name: string;
  /** Seconds; "" for all. */
  readonly since: string;
}

export const NO_FILTER: AuditFilter = { user: "", command: "", name: "", since: "" };

/** The state of the list; kept while other views are shown. */
export const filter = signal<AuditFilter>(NO_FILTER);
export const entries = signal<readonly AuditEntry[]>([]);
/** Where the next page begins; null: there is none. */
export const next = signal<string | null>(null);
export const isLoading = signal(false);
export const problem = signal<string | null>(null);
/** Why commands are not recorded, and how many records were lost. */
export const trouble = signal<{ readonly problem: string | null; readonly unrecorded: number }>({ problem: null, unrecorded: 0 });

/** Number of the newest request: answers to others are out of date. */
let newest = 0;

/** Requests the newest entries, or with `more` those before the ones that are shown. */
export async function load({ more = false } = {}): Promise<void> {
  const mine = ++newest;
  isLoading.value = true;
  try {
    let before = more ? next.value : null;
    for (let page = 0; page < MAX_EMPTY_PAGES; page++) {
      const answer = await ask(
        { type: "request_audit", ...requestOf(filter.value), ...(before === null ? {} : { before }), limit: PAGE },
        "audit_page",
      );
      if (mine !== newest) return;
      if (!answer.ok) throw new Error(answer.message);
      before = answer.before;
      if (answer.entries.length === 0 && before !== null) continue;
      batch(() => {
        entries.value = more ? [...entries.value, ...answer.entries] : answer.entries;
        trouble.value = { problem: answer.problem, unrecorded: answer.unrecorded };
      });
      break;
    }
    batch(() => {
      next.value = before;
      problem.value = null;
    });
  } catch (error) {
    if (mine === newest) problem.value = messageOf(error);
  } finally {
    if (mine === newest) isLoading.value = false;
  }
}

export function requestOf({ user, command, name, since }: AuditFilter, now = Date.now()) {
  return {
    ...(user === "" ? {} : { user }),
    ...(command === "" ? {} : { command }),
    ...(name === "" ? {} : { names: [name] }),
    ...(since === "" ? {} : { since: formatTime(now - Number(since) * 1_000) }),
  };
}
