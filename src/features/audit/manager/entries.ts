import { ROLES } from "../../../base/access/access.ts";
import { ERROR_CODES } from "../../../base/errors.ts";
import { compileFnmatch } from "../../../base/patterns/fnmatch.ts";
import { isWithin } from "../../../base/text/names.ts";
import type { AuditRecord, DenialRecord, OutcomeRecord, RequestRecord } from "../trail/records.ts";
import type { AuditEntry } from "../wire.ts";
import type { AuditRequest } from "./audit.ts";

/** A record that is an entry of its own. */
type EntryRecord = Exclude<AuditRecord, OutcomeRecord | { readonly event: "file" }>;

export function isOutcome(record: AuditRecord): record is OutcomeRecord {
  return record.event === "accepted" || record.event === "refused";
}

export function isEntry(record: AuditRecord): record is EntryRecord {
  return record.event !== "file" && !isOutcome(record);
}

/** The entry of a record. The outcome of a request is added by `withOutcome`. */
export function entryOf(record: EntryRecord): AuditEntry {
  switch (record.event) {
    case "requested":
      return { ...requested(record), outcome: "unknown", code: null, message: null };
    case "denied":
      return { ...requested(record), outcome: "refused", code: codeOf(record.code), message: record.message };
    case "cut":
      return { ...ofTrail(record, "audit_cut"), args: { bytes: record.bytes } };
    case "lost":
      return { ...ofTrail(record, "audit_lost"), args: { count: record.count, reason: record.reason } };
    case "omitted":
      return { ...ofTrail(record, "audit_omitted"), args: { user: record.user, command: record.command, count: record.count } };
  }
}

export function withOutcome(entry: AuditEntry, outcome: OutcomeRecord): AuditEntry {
  const { event, code, message = null, args = {} } = outcome;
  return { ...entry, args: { ...entry.args, ...args }, outcome: event, code: event === "accepted" ? null : codeOf(code), message };
}

/** Whether a request asks for the entry. */
export function entryFilter({ user, command, names, until }: AuditRequest): (entry: AuditEntry) => boolean {
  const isCommand = command === undefined ? () => true : compileFnmatch(command);
  const isNamed = (names ?? []).map((name) => {
    const matches = compileFnmatch(name);
    return (target: string) => matches(target) || isWithin(target, name);
  });
  return (entry) =>
    (user === undefined || entry.user === user) &&
    (until === undefined || entry.time <= until) &&
    isCommand(entry.command) &&
    (names === undefined || (entry.target !== null && isNamed.some((matches) => matches(entry.target ?? ""))));
}

function requested(record: RequestRecord | DenialRecord): Omit<AuditEntry, "outcome" | "code" | "message"> {
  const { seq, time, user, role, via, client = null, address = null, command, target = null, args = {} } = record;
  return { id: seq, time, user, role: ROLES.find((each) => each === role) ?? null, via, client, address, command, target, args };
}

function ofTrail({ seq, time }: { seq: number; time: string }, command: string): AuditEntry {
  const from = { id: seq, time, user: "mgr", role: null, via: "in-process", client: null, address: null };
  return { ...from, command, target: null, args: {}, outcome: "accepted", code: null, message: null };
}

function codeOf(code: string | undefined): AuditEntry["code"] {
  return ERROR_CODES.find((each) => each === code) ?? "internal";
}
