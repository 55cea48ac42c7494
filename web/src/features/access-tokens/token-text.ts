import type { AccessToken } from "../../../../src/features/access-tokens/wire.ts";
import { millisecondsOf } from "../../ui/time.ts";

export const onText = (on: AccessToken["on"]): string => (on === null ? "everything" : on.join(", "));

/** A day and time in the zone of the browser. */
export const endText = (timestamp: string): string =>
  new Date(millisecondsOf(timestamp)).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
