import { randomBytes } from "node:crypto";
import { realpathSync } from "node:fs";
import { chown } from "node:fs/promises";
import { messageOf } from "../../../base/errors.ts";
import { visible } from "../../../base/text/visible-text.ts";
import { authFilePath } from "../../../config/default-paths.ts";
import { writeFileAtomically } from "../../../files/replace-file.ts";
import { parseAuthFile } from "../../../http/auth/auth-entries.ts";
import { hashPassword } from "../../../http/auth/password-hash.ts";
import { readRegularFile } from "../../../http/auth/read-regular-file.ts";
import { CommandFailure, EXIT } from "../../command/exit-codes.ts";
import { loadConfig } from "../../manager/configuration.ts";
import { askHidden } from "./prompt.ts";

export interface PasswdFlags {
  config?: string;
  trustConfig?: boolean;
  profile?: string[];
  file?: string;
  plain?: boolean;
  stdin?: boolean;
  generate?: boolean;
}

const MAX_BYTES = 1024 * 1024;
/** 144 random bits in 24 characters. */
const GENERATED_BYTES = 18;

/** `mgr passwd USER`: creates a web user, or changes their password. A running manager applies it at once. */
export async function passwd(user: string, flags: PasswdFlags): Promise<void> {
  const path = await authFileOf(flags);
  const { text, owner } = read(path);
  const password = await newPassword(user, flags);
  const secret = flags.plain ? password : await hashPassword(password);
  const changed = withEntry(text, user, secret);
  const entry = parseAuthFile(changed).entries.find((candidate) => candidate.user === user);
  // The written text is parsed: the format's own rules decide which names and passwords are valid.
  if (password === "" || /[\r\n]/.test(password) || entry?.secret !== secret) throw new CommandFailure(EXIT.usage, unfit(user, password));
  await writeFileAtomically(path, changed).catch((error: unknown) => {
    throw new CommandFailure(EXIT.failed, `cannot write ${path}: ${messageOf(error)}`);
  });
  // If root runs this for the manager of another user, the file must keep its owner.
  if (owner !== null && owner.uid !== process.geteuid?.()) await chown(path, owner.uid, owner.gid);
  report(path, user, password, flags);
}

/** Path of the auth file; for a symbolic link, that of its target. */
async function authFileOf(flags: PasswdFlags): Promise<string> {
  const path = flags.file ?? authFilePath({ webui_auth_file: null }) ?? authFilePath((await loadConfig(flags.config, flags)).instance);
  if (path === null) throw new CommandFailure(EXIT.usage, "no auth file is configured; set instance.webui_auth_file or use --file FILE");
  try {
    return realpathSync(path);
  } catch {
    return path; // Does not exist yet.
  }
}

function read(path: string): { text: string; owner: { uid: number; gid: number } | null } {
  const file = readRegularFile(path, MAX_BYTES, () => null);
  if (file.ok) return { text: decode(path, file.content), owner: { uid: Number(file.stats.uid), gid: Number(file.stats.gid) } };
  if (file.problem === "missing") return { text: "", owner: null };
  throw new CommandFailure(EXIT.failed, `the auth file ${path} is ${file.problem.replace("_", " ")} (${file.reason}); nothing was changed`);
}

function decode(path: string, content: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(content);
  } catch {
    throw new CommandFailure(EXIT.failed, `the auth file ${path} is not UTF-8 text; nothing was changed`);
  }
}

async function newPassword(user: string, { stdin, generate }: PasswdFlags): Promise<string> {
  if (stdin && generate) throw new CommandFailure(EXIT.usage, "--stdin and --generate cannot be combined");
  if (generate) return randomBytes(GENERATED_BYTES).toString("base64url");
  if (stdin) return firstLine();
  if (!process.stdin.isTTY)
    throw new CommandFailure(EXIT.usage, "cannot prompt for the password without a terminal; use --stdin or --generate");
  const password = await askHidden(`New password of '${visible(user)}': `);
  if ((await askHidden("Repeat the password: ")) !== password)
    throw new CommandFailure(EXIT.failed, "the passwords do not match; nothing was changed");
  return password;
}

async function firstLine(): Promise<string> {
  let text = "";
  process.stdin.setEncoding("utf8");
  for await (const chunk of process.stdin) {
    text += String(chunk);
    if (text.includes("\n") || text.length > MAX_BYTES) break;
  }
  return text.split(/\r?\n/)[0] ?? "";
}

/** The file with this user's line replaced or appended; everything else is unchanged. */
function withEntry(text: string, user: string, secret: string): string {
  const lines = text === "" ? [] : text.replace(/\n$/, "").split("\n");
  const line = `${user} ${secret}`;
  const own = lines.findIndex((candidate) => !candidate.startsWith("#") && candidate.split(/[ \t]/, 1)[0] === user);
  if (own < 0) lines.push(line);
  else lines[own] = line;
  return `${lines.join("\n")}\n`;
}

function unfit(user: string, password: string): string {
  if (password === "") return "the password is empty; nothing was changed";
  if (password.startsWith("$scrypt$")) return "with --plain, a password cannot begin with '$scrypt$'; nothing was changed";
  if (/[\r\n]/.test(password)) return "the password contains a line break; nothing was changed";
  return `'${user}' is not a valid user name: it must not contain spaces, ':' or control characters, or begin with '#'; nothing was changed`;
}

function report(path: string, user: string, password: string, { plain, generate }: PasswdFlags): void {
  if (generate) process.stdout.write(`${password}\n`);
  const note = plain
    ? " The file has the password itself: programs that can read the file can log in with it."
    : " The file has only a hash of the password: programs that log in as this user need the password from MGR_PASSWORD_FILE, or an entry written with --plain.";
  process.stderr.write(`${visible(path)}: '${user}' can log in with the new password; earlier sessions of '${user}' end.${note}\n`);
}
