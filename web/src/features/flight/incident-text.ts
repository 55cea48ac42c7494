import type { Incident, IncidentHost } from "../../../../src/features/flight/wire.ts";

export const STATE_WORDS: Record<Incident["state"], string> = { recording: "Recording", collecting: "Collecting", complete: "Complete" };

export const HOST_WORDS: Record<IncidentHost["state"], string> = {
  away: "Away, its part is added when it is back",
  recording: "Recording",
  collecting: "Being copied",
  merged: "In the file",
  absent: "Has no part",
};

/** The first reason, or the note of the user who asked for it. */
export function causeText({ triggers: [first, ...others], note, by }: Pick<Incident, "triggers" | "note" | "by">): string {
  if (note !== "") return note;
  if (by !== null) return `Snapshot by ${by}`;
  if (first === undefined) return "Snapshot";
  return others.length === 0 ? first.text : `${first.text}, and ${others.length} more`;
}
