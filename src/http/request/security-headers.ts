/**
 * The policy for the content of a response. Styles may be inline because the page's terminal (xterm.js) writes its own; scripts may not, but for
 * those whose hashes are given, as sources of the policy (`'sha256-…'`).
 */
export function contentSecurityPolicy(inlineScripts: readonly string[] = []): string {
  return [
    "default-src 'none'",
    ["script-src 'self'", ...inlineScripts].join(" "),
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
}

/**
 * Headers of every response, refusals included. The referrer is sent to the own origin only, but not suppressed: browsers would then send
 * `Origin: null`.
 */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  "Content-Security-Policy": contentSecurityPolicy(),
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Cross-Origin-Opener-Policy": "same-origin",
};
