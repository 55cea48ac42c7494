import type { BigIntStats } from "node:fs";
import type { HttpLog } from "../log/http-log.ts";
import { type AuthEntry, parseAuthFile } from "./auth-entries.ts";
import { type FileRead, identityOf, readRegularFile } from "./read-regular-file.ts";

/** The users, or the reason why all logins are refused, with how to fix it. */
export type AuthFileState =
  | { readonly ok: true; readonly entries: readonly AuthEntry[] }
  | { readonly ok: false; readonly refusal: string };

const MAX_BYTES = 1024 * 1024;
const OUT_OF_DESCRIPTORS = /^E[MN]FILE/;
/** Permissions of group and others: with read permission they could see the passwords, with write permission set their own. */
const FOREIGN_RIGHTS = 0o066n;

export type EntriesListener = (previous: readonly AuthEntry[], next: readonly AuthEntry[]) => void;

/** The auth file. It is checked on each request, and read again after each change. */
export class AuthFile {
  readonly #path: string | null;
  readonly #log: HttpLog;
  readonly #listeners = new Set<EntriesListener>();
  #identity = "";
  #content: Buffer | null = null;
  #state: AuthFileState | null = null;
  /** The last valid content, kept while the file is refused. */
  #entries: readonly AuthEntry[] = [];

  constructor(path: string | null, log: HttpLog) {
    this.#path = path;
    this.#log = log;
  }

  /** The current state. */
  read(): AuthFileState {
    if (this.#path === null) return this.#state ?? this.#refuse(NOT_CONFIGURED);
    const identity = identityOf(this.#path);
    if (this.#state !== null && identity !== null && identity === this.#identity) return this.#state;
    this.#identity = identity ?? "";
    const path = this.#path;
    const file = readRegularFile(path, MAX_BYTES, (stats) => foreign(path, stats));
    if (!file.ok && file.problem === "unreadable") {
      // The file may become readable without having changed.
      this.#identity = "";
      // A lack of descriptors is no problem of the file: the previous state stays valid.
      if (OUT_OF_DESCRIPTORS.test(file.reason) && this.#state?.ok) return this.#state;
    }
    return this.#adopt(this.#path, file);
  }

  /** The entries as they were last valid, also while the file is refused. */
  get lastEntries(): readonly AuthEntry[] {
    return this.#entries;
  }

  /** Calls the listener when users or passwords changed (never for a file that is refused). */
  onChange(listener: EntriesListener): void {
    this.#listeners.add(listener);
  }

  #adopt(path: string, file: FileRead): AuthFileState {
    const before = this.#state;
    if (before?.ok && file.ok && this.#content?.equals(file.content)) return before;
    this.#content = file.ok ? file.content : null;
    const state = judge(path, file, (problem) => this.#log("warning", `auth file ${path}: ${problem}`));
    if (!state.ok) return this.#refuse(state.refusal);
    this.#state = state;
    const previous = this.#entries;
    this.#entries = this.#state.entries;
    for (const listener of this.#listeners) listener(previous, this.#entries);
    return state;
  }

  #refuse(refusal: string): AuthFileState {
    const before = this.#state;
    if (before?.ok !== false || before.refusal !== refusal) this.#log("warning", `all web logins are refused: ${refusal}`);
    this.#state = { ok: false, refusal };
    return this.#state;
  }
}

/** The reason for refusing a file with these permissions, as a sentence; null: it is accepted. */
function foreign(path: string, { uid, mode }: BigIntStats): string | null {
  const own = process.geteuid?.() ?? 0;
  if (uid !== BigInt(own) && uid !== 0n)
    return `The auth file ${path} belongs to another user (uid ${uid}), who can change its passwords. It must belong to the user that the manager runs as, or to root: chown ${own} ${quote(path)}`;
  if ((mode & FOREIGN_RIGHTS) === 0n) return null;
  const rights = (mode & 0o7777n).toString(8).padStart(4, "0");
  return `The auth file ${path} can be read or written by group or others (mode ${rights}), so its passwords are not secret. Run: chmod 600 ${quote(path)}`;
}

function judge(path: string, file: FileRead, warn: (problem: string) => void): AuthFileState {
  if (!file.ok) return { ok: false, refusal: describe(path, file) };
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(file.content);
  } catch {
    return { ok: false, refusal: `The auth file ${path} is not UTF-8 text. ${howToMake(path)}` };
  }
  const { entries, problems } = parseAuthFile(text);
  for (const problem of problems) warn(problem);
  if (entries.length === 0) return { ok: false, refusal: `The auth file ${path} has no entries. ${howToMake(path)}` };
  return { ok: true, entries };
}

function describe(path: string, { problem, reason }: Extract<FileRead, { ok: false }>): string {
  switch (problem) {
    case "missing":
      return `The auth file ${path} is missing. ${howToMake(path)}`;
    case "refused":
      return reason;
    case "not_regular":
      return `The auth file ${path} is not a regular file. ${howToMake(path)}`;
    case "too_large":
      return `The auth file ${path} is ${reason}. It should have one line 'USER PASSWORD' for each user.`;
    case "unreadable":
      return `The auth file ${path} cannot be read (${reason}). Make it readable for the user that the manager runs as: chown, chmod 600.`;
  }
}

function howToMake(path: string): string {
  return `Create it with a line 'USER PASSWORD' for each user, readable only by you: (umask 077; echo 'USER PASSWORD' > ${quote(path)})`;
}

const NOT_CONFIGURED =
  "No auth file is configured. " +
  `${howToMake("webui.keys")} Then name it in the configuration (instance: webui_auth_file: webui.keys) ` +
  "or in the environment variable MGR_WEBUI_AUTH_FILE, and restart the manager.";

function quote(path: string): string {
  return /^[\w./+@:-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
