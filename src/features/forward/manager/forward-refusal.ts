import { type AnyErrorCode, MgrError, messageOf } from "../../../base/errors.ts";
import { visible } from "../../../base/text/visible-text.ts";
import { type Refusal, refusal } from "../../../http/request/refusal.ts";

const STATUS: Partial<Readonly<Record<AnyErrorCode, number>>> = {
  bad_field: 400,
  forbidden: 403,
  not_found: 404,
  busy: 429,
  conflict: 502,
  timeout: 504,
};

/** The HTTP answer for a forward or a connection that cannot be opened. */
export function forwardRefusal(error: unknown): Refusal {
  const status = (error instanceof MgrError && STATUS[error.code]) || 503;
  return refusal(status, visible(`${messageOf(error)}.`));
}
