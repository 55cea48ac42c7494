import type { PageFeature } from "../../actions/page-feature.ts";
import { lazyPart } from "../../ui/lazy-view.tsx";
import { addRecordingPart } from "../recordings/parts.ts";

export const replayFeature: PageFeature = {
  shortcuts: [
    "In the player of a recording",
    [
      ["Space", "Pause, resume"],
      ["S", "Publish the next message"],
      ["← →", "Seek by 5 s"],
      ["↑ ↓", "Seek by 60 s"],
      ["Home End", "Go to the beginning, to the end"],
      ["+ −", "Faster, slower"],
      ["L", "Loop"],
    ],
  ],
  start: () => addRecordingPart(lazyPart(async () => (await import("./replay-part.tsx")).ReplayPart)),
};
