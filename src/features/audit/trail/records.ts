import { parseJson } from "../../../base/json.ts";
import { openSeal } from "./chain.ts";

/** Lines of the trail. Times are those of the wire: UTC, milliseconds. */
interface Numbered {
  /** Grows by one with each line, over all files. */
  readonly seq: number;
  readonly time: string;
}

/** The first line of a file. */
export interface FileRecord extends Numbered {
  readonly event: "file";
  readonly file: number;
  /** The oldest file that was kept when this one began. */
  readonly oldest: number;
  /** Id of the key of its lines. */
  readonly key: string;
  /** HMAC of the last line of the file before. */
  readonly previous: string;
}

/** Who gave which command, before it took effect. */
export interface RequestRecord extends Numbered {
  readonly event: "requested";
  readonly user: string;
  readonly role: string | null;
  readonly via: string;
  readonly client?: string;
  readonly address?: string;
  readonly command: string;
  readonly target?: string;
  readonly request_id?: string | number;
  readonly args?: Readonly<Record<string, unknown>>;
}

/** The outcome of the request with the number `id`. */
export interface OutcomeRecord extends Numbered {
  readonly event: "accepted" | "refused";
  readonly id: number;
  readonly code?: string;
  readonly message?: string;
  readonly args?: Readonly<Record<string, unknown>>;
}

/** A command that was refused before it could begin. */
export interface DenialRecord extends Omit<RequestRecord, "event"> {
  readonly event: "denied";
  readonly code: string;
  readonly message: string;
}

/** An event of the trail itself. */
export type TrailRecord = Numbered &
  (
    | { readonly event: "cut"; readonly bytes: number; readonly sha256: string }
    | { readonly event: "lost"; readonly count: number; readonly reason: string }
    | { readonly event: "omitted"; readonly user: string; readonly command: string; readonly count: number }
  );

export type AuditRecord = FileRecord | RequestRecord | OutcomeRecord | DenialRecord | TrailRecord;
type WithoutNumber<R> = R extends unknown ? Omit<R, "seq" | "time"> : never;
/** A record before it gets its number and time. */
export type NewRecord = WithoutNumber<AuditRecord>;

/** The record of a line without its end; null: it is none. The seal is not checked. */
export function recordIn(line: string): AuditRecord | null {
  const opened = openSeal(line);
  const record = opened === null ? undefined : parseJson(opened.text);
  if (typeof record !== "object" || record === null) return null;
  const { seq, time, event } = record as Record<string, unknown>;
  return Number.isSafeInteger(seq) && typeof time === "string" && typeof event === "string" ? (record as AuditRecord) : null;
}
