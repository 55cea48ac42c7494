import { isPasswordHash, type PasswordHash, parsePasswordHash } from "./password-hash.ts";

/** One user of the auth file. */
export interface AuthEntry {
  readonly user: string;
  /** The secret as in the file: the password, or its hash. */
  readonly secret: string;
  /** The parsed hash; null: `secret` is the password. */
  readonly hash: PasswordHash | null;
}

export interface ParsedAuthFile {
  readonly entries: readonly AuthEntry[];
  /** Messages about invalid lines, without passwords. */
  readonly problems: readonly string[];
}

const CONTROL = /\p{Cc}/u;

/**
 * Format (docs/design/wire-rules.md, "Authentication"): one `<user> <password>` per line, split at the first blank; empty lines and `#` are
 * skipped.
 */
export function parseAuthFile(text: string): ParsedAuthFile {
  const entries: AuthEntry[] = [];
  const problems: string[] = [];
  for (const [index, raw] of text.split("\n").entries()) {
    const line = raw.replace(/\r$/, "");
    if (line.trim() === "" || line.startsWith("#")) continue;
    const entry = parseLine(line);
    if (typeof entry === "string") problems.push(`line ${index + 1} ${entry}; it is skipped`);
    else if (entries.some(({ user }) => user === entry.user))
      problems.push(`line ${index + 1} repeats the user '${entry.user}'; it is skipped`);
    else entries.push(entry);
  }
  return { entries, problems };
}

/** The entry, or the problem of the line as the end of a sentence. */
function parseLine(line: string): AuthEntry | string {
  const blank = line.search(/[ \t]/);
  if (blank <= 0 || blank === line.length - 1) return "is not of the form 'USER PASSWORD'";
  const user = line.slice(0, blank);
  const secret = line.slice(blank + 1);
  if (user.includes(":")) return "has a user name with ':', which HTTP Basic Auth cannot carry";
  if (CONTROL.test(user)) return "has a user name with a control character";
  if (!isPasswordHash(secret)) return { user, secret, hash: null };
  const hash = parsePasswordHash(secret);
  return hash ? { user, secret, hash } : `has a password hash for '${user}' that is malformed or too expensive`;
}
