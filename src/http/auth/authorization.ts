/** The claim of an Authorization header. */
export type Authorization =
  | { readonly scheme: "none" }
  | { readonly scheme: "basic"; readonly user: string; readonly password: string }
  | { readonly scheme: "bearer"; readonly token: string }
  | { readonly scheme: "unusable" };

const FORM = /^(basic|bearer) +([A-Za-z0-9+/._~=-]+)$/i;

export function parseAuthorization(header: string | null): Authorization {
  if (header === null) return { scheme: "none" };
  const match = FORM.exec(header.trim());
  if (!match) return { scheme: "unusable" };
  const [, scheme = "", value = ""] = match;
  if (scheme.toLowerCase() === "bearer") return { scheme: "bearer", token: value };
  const text = decode(Buffer.from(value, "base64"));
  const colon = text.indexOf(":");
  return colon < 0 ? { scheme: "unusable" } : { scheme: "basic", user: text.slice(0, colon), password: text.slice(colon + 1) };
}

/** RFC 7617: UTF-8, as the manager's challenge demands; older clients send Latin-1 nevertheless. */
function decode(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return bytes.toString("latin1");
  }
}
