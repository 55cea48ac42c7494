import type { FrameOf } from "../../../../src/protocol/frames/frames.ts";

/** The values of the form; patterns and names are separated by spaces. */
export interface PlayChoice {
  readonly host: string;
  readonly topics: string;
  readonly remap: string;
  readonly skipsLive: boolean;
  readonly isPaused: boolean;
  readonly isLooping: boolean;
}

export const FIRST_CHOICE: PlayChoice = { host: "", topics: "", remap: "", skipsLive: false, isPaused: false, isLooping: false };

export function playRequest(name: string, { host, topics, remap, skipsLive, isPaused, isLooping }: PlayChoice): FrameOf<"play_recording"> {
  return {
    type: "play_recording",
    name,
    host,
    ...words("topics", topics),
    ...words("remap", remap),
    ...(skipsLive ? { skip_live: true } : {}),
    ...(isPaused ? { paused: true } : {}),
    ...(isLooping ? { loop: true } : {}),
  };
}

function words(field: string, text: string): Record<string, string[]> {
  const found = text.split(/\s+/).filter(Boolean);
  return found.length === 0 ? {} : { [field]: found };
}
