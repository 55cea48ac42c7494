import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";

/** A password hash in PHC form: `$scrypt$ln=15,r=8,p=1$<salt>$<hash>`, base64 without padding. */
export interface PasswordHash {
  readonly options: ScryptOptions;
  readonly salt: Buffer;
  readonly hash: Buffer;
}

/** Maximum memory of one verification, bytes: 128 × N × r. */
const MAX_MEMORY_BYTES = 256 * 1024 * 1024;
const PHC = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,3}),p=(\d{1,2})\$([A-Za-z0-9+/]{1,200})=*\$([A-Za-z0-9+/]{22,200})=*$/;

export function isPasswordHash(secret: string): boolean {
  return secret.startsWith("$scrypt$");
}

/** Parses a hash. Null: malformed, or too expensive to verify. */
export function parsePasswordHash(text: string): PasswordHash | null {
  const match = PHC.exec(text);
  if (!match) return null;
  const [ln, r, p] = [Number(match[1]), Number(match[2]), Number(match[3])];
  if (ln < 1 || r < 1 || p < 1 || p > 16 || 128 * 2 ** ln * r > MAX_MEMORY_BYTES) return null;
  return {
    options: { N: 2 ** ln, r, p, maxmem: 2 * MAX_MEMORY_BYTES },
    salt: Buffer.from(match[4] ?? "", "base64"),
    hash: Buffer.from(match[5] ?? "", "base64"),
  };
}

export async function matchesPasswordHash({ options, salt, hash }: PasswordHash, password: string): Promise<boolean> {
  return timingSafeEqual(await derive(password, salt, hash.length, options), hash);
}

/** Hashes a password for `mgr passwd`: about 50 ms and 32 MiB for each verification. */
export async function hashPassword(password: string): Promise<string> {
  const [ln, r, p] = [15, 8, 1];
  const salt = randomBytes(16);
  const hash = await derive(password, salt, 32, { N: 2 ** ln, r, p, maxmem: 2 * MAX_MEMORY_BYTES });
  return `$scrypt$ln=${ln},r=${r},p=${p}$${unpadded(salt)}$${unpadded(hash)}`;
}

function derive(password: string, salt: Buffer, length: number, options: ScryptOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, length, options, (error, key) => (error ? reject(error) : resolve(key)));
  });
}

function unpadded(bytes: Buffer): string {
  return bytes.toString("base64").replace(/=+$/, "");
}
