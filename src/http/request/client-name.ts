import { isBrowser } from "./browser.ts";
import type { RequestHeaders } from "./request-headers.ts";

/** A name that a client gives itself in the query: a letter or digit first, at most 32 characters. */
const GIVEN = /^[A-Za-z0-9][\w.-]{0,31}$/;
/** The first product of a User-Agent header. */
const PRODUCT = /^[A-Za-z0-9][\w.+-]{0,31}(?=$|[/ ])/;

/** The program that the client says it is: `client` of the query, else its User-Agent (`browser` for browsers); null: it says nothing. */
export function clientName(headers: RequestHeaders, query: URLSearchParams): string | null {
  const given = query.get("client");
  if (given !== null && GIVEN.test(given)) return given;
  if (isBrowser(headers)) return "browser";
  return PRODUCT.exec(headers.get("user-agent") ?? "")?.[0] ?? null;
}
