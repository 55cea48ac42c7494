import { readFileSync, statSync } from "node:fs";

const FILE = "/etc/passwd";

/** Names of users as in ps: a number for one who is not in /etc/passwd. Network directories are not queried: they may not answer. */
export class UserNames {
  #readAs = "";
  #names = new Map<number, string>();

  /** Reads the file again if it has changed. */
  refresh(): void {
    const { mtimeMs, ino, size } = statSync(FILE, { throwIfNoEntry: false }) ?? { mtimeMs: 0, ino: 0, size: 0 };
    const version = `${mtimeMs} ${ino} ${size}`;
    if (version === this.#readAs) return;
    this.#readAs = version;
    this.#names = size === 0 ? new Map() : parse(readFileSync(FILE, "utf8"));
  }

  of(uid: number): string {
    return this.#names.get(uid) ?? String(uid);
  }
}

function parse(text: string): Map<number, string> {
  const names = new Map<number, string>();
  for (const line of text.split("\n")) {
    const [name, , uid] = line.split(":");
    // If a user has several names, getpwuid(3) returns the first.
    if (name && uid && /^\d+$/.test(uid) && !names.has(Number(uid))) names.set(Number(uid), name);
  }
  return names;
}
