/** Answers of routes that do not allow pages of other origins are refusals. */
const PREFLIGHT = {
  "Access-Control-Allow-Methods": "GET, HEAD, POST",
  "Access-Control-Allow-Headers": "Authorization, Range",
  // Seconds.
  "Access-Control-Max-Age": "600",
};

/** Headers that let a page of an allowed origin read an answer. They name that origin, because `*` would exclude the cookie. */
export function crossOriginHeaders(origin: string | null, allowed: ReadonlySet<string>): Readonly<Record<string, string>> {
  if (origin === null || !allowed.has(origin)) return {};
  return {
    "Access-Control-Allow-Origin": origin,
    "Access-Control-Allow-Credentials": "true",
    "Access-Control-Expose-Headers": "Accept-Ranges, Content-Disposition, Content-Length, Content-Range, Retry-After",
  };
}

/** The answer to a browser's preflight request, which asks whether a page may send a request. */
export function preflightResponse(): Response {
  return new Response(null, { status: 204, headers: PREFLIGHT });
}
