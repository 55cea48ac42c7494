import { DANGEROUS } from "../../base/text/visible-text.ts";

const MAX_ASCII_NAME = 100;
/** Maximum number of characters in a file name: each has up to 4 bytes, and a file name has up to 255 bytes. */
const MAX_NAME = 60;
/** Characters that file systems and terminals do not allow in file names. */
const UNSAFE_IN_NAMES = new RegExp(`(?:[\\\\/:*?"<>|]|${DANGEROUS.source})+`, "gu");

/**
 * The header Content-Disposition of a download, with a file name that is safe in headers, file systems and terminals: in ASCII, for clients that
 * support nothing else, and in full (RFC 6266). `otherwise`: the name if nothing is left of it.
 */
export function attachment(name: string, ending: string, otherwise: string): string {
  const ascii = fileName(name, /[^A-Za-z0-9._-]+/g, MAX_ASCII_NAME) || otherwise;
  const full = fileName(name, UNSAFE_IN_NAMES, MAX_NAME) || otherwise;
  const encoded = encodeURIComponent(full).replaceAll(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);
  return `attachment; filename="${ascii}${ending}"${full === ascii ? "" : `; filename*=UTF-8''${encoded}${ending}`}`;
}

function fileName(name: string, unsafe: RegExp, max: number): string {
  const safe = name.replace(unsafe, "_").replace(/^[._]+/, "");
  return Array.from(safe).slice(0, max).join("");
}
