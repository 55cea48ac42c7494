/** Errors of Node's TLS when the other end's certificate is not accepted, in words. */
const PROBLEMS: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: "the certificate is self-signed and not trusted",
  SELF_SIGNED_CERT_IN_CHAIN: "the certificate's authority is not trusted",
  UNABLE_TO_GET_ISSUER_CERT: "the certificate's authority is not trusted",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "the certificate's authority is not trusted",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "the certificate's authority is not trusted",
  CERT_HAS_EXPIRED: "the certificate has expired",
  CERT_NOT_YET_VALID: "the certificate is not valid yet",
  ERR_TLS_CERT_ALTNAME_INVALID: "the certificate is for another host name",
};

/** Reason why the certificate was not accepted; null for any other error. */
export function certificateProblem(error: unknown): string | null {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return Object.hasOwn(PROBLEMS, code) ? (PROBLEMS[code] ?? null) : null;
}

/** Whether trusting another authority would solve it. */
export function isUntrusted(error: unknown): boolean {
  return certificateProblem(error)?.endsWith("not trusted") ?? false;
}
