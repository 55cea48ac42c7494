import { opening } from "../../actions/opening.ts";
import type { PageFeature } from "../../actions/page-feature.ts";
import { command } from "../../state/store.ts";
import { lazyView } from "../../ui/lazy-view.tsx";
import { addDataTab, addHistory, dataView } from "../data-plane/public.ts";
import { recordings } from "./recordings-store.ts";
import { RECORDED, RECORDINGS } from "./views.ts";

export const recordingsFeature: PageFeature = {
  views: [
    { ...RECORDINGS, ...dataView },
    { ...RECORDED, ...lazyView(async () => (await import("./file/recorded-file-view.tsx")).RecordedFileView) },
  ],
  actions: () => [
    opening("Recordings", { kind: "recordings" }, { near: true }),
    ...recordings.value
      .filter(({ state }) => state === "recording")
      .map(({ name }) => {
        const frame = { type: "stop_recording", name } as const;
        return { title: `Stop the recording ${name}`, sends: frame, run: () => void command(frame) };
      }),
  ],
  start: () => {
    addDataTab(RECORDINGS, async () => ({ Content: (await import("./recordings-view.tsx")).RecordingsView, items: recordings }));
    addHistory(async (traces, wanted) => (await import("./file/past-samples.ts")).readPastRecordings(traces, wanted));
  },
};
