import { createHash, createHmac } from "node:crypto";

/**
 * Each line of the trail ends with the HMAC of its text and of the HMAC before it, so that a line cannot be changed, added, removed or moved
 * without the key.
 */
const SEALED = /^(\{.*),"mac":"([0-9a-f]{64})"\}$/s;

/** The HMAC before the first line of all. */
export const NO_MAC = "";

export interface SealedLine {
  /** Text with its line end. */
  readonly text: string;
  readonly mac: string;
}

export function seal(key: Buffer, previous: string, record: object): SealedLine {
  const text = JSON.stringify(record);
  const mac = macOf(key, previous, text);
  return { text: `${text.slice(0, -1)},"mac":"${mac}"}\n`, mac };
}

/** The parts of a line without its end; null: it is no sealed line. */
export function openSeal(line: string): { readonly text: string; readonly mac: string } | null {
  const [, text, mac] = SEALED.exec(line) ?? [];
  return text === undefined || mac === undefined ? null : { text: `${text}}`, mac };
}

export function macOf(key: Buffer, previous: string, text: string): string {
  return createHmac("sha256", key).update(previous).update("\n").update(text).digest("hex");
}

/** Identifies a key without revealing it. */
export const keyId = (key: Buffer): string => digestOf(key).slice(0, 16);

export const digestOf = (content: string | Buffer): string => createHash("sha256").update(content).digest("hex");
