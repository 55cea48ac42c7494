import type { Pages } from "../../../cli/command/feature.ts";

/** Manual of `mgr play`. */
export const PLAY_PAGES: Pages = {
  play: {
    about: `Publishes recorded topics on the bus of this machine, with their definitions and the times at which they were published first. Several FILES are
merged by time. Topics that a running program publishes are never mixed with recorded ones: the command refuses to play them, unless --remap gives
them another name or --skip-live leaves them out; while it plays, their names are reserved. Files of other programs can be played, too, and so can files without an index, as far as they go.
In a terminal: space pauses, s publishes the next message, arrow keys seek by 5 s (up and down: 60 s), + and - change the rate, home begins again, q quits.
mgr/clock is the time of the play, for programs that follow it. See docs/replay.md.`,
    completes: { "--topics": ["topic"] },
    examples: [
      ["mgr play run1.mcap", "at the recorded pace"],
      ["mgr play run1/*.mcap --topics 'arm/*' --rate 2", "some topics of several files, twice as fast"],
      ["mgr play run1.mcap --remap 'arm/*=old/*'", "beside the running arm"],
      ["mgr play run1.mcap --from 1m30s --until 2m --loop", "half a minute, again and again"],
    ],
    exitCodes: "3 if there is no such file or topic",
  },
};
