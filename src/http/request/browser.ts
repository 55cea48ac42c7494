import type { RequestHeaders } from "./request-headers.ts";

/**
 * Whether a browser sent the request. All browsers name themselves `Mozilla/`; most also send Sec-Fetch headers. `Sec-Fetch-Mode: cors`
 * alone is Node's fetch.
 */
export function isBrowser(headers: RequestHeaders): boolean {
  if ((headers.get("user-agent") ?? "").startsWith("Mozilla/")) return true;
  const [site, dest, mode] = ["site", "dest", "mode"].map((part) => headers.get(`sec-fetch-${part}`));
  return site !== null || dest !== null || (mode !== null && mode !== "cors");
}

/** Whether a browser opens the address in a tab or window. Over plain HTTP it sends no Sec-Fetch headers. */
export function isNavigation(headers: RequestHeaders): boolean {
  const mode = headers.get("sec-fetch-mode");
  if (mode !== null) return mode === "navigate" && headers.get("sec-fetch-dest") === "document";
  return headers.get("upgrade-insecure-requests") === "1" && (headers.get("accept") ?? "").startsWith("text/html");
}
