import type { PageFeature } from "../../actions/page-feature.ts";
import { show } from "../../state/navigation.ts";
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
    { title: "Recordings", near: true, run: () => show({ kind: "recordings" }) },
    ...recordings.value
      .filter(({ state }) => state === "recording")
      .map(({ name }) => ({ title: `Stop the recording ${name}`, run: () => void command({ type: "stop_recording", name }) })),
  ],
  start: () => {
    addDataTab(RECORDINGS, async () => ({ Content: (await import("./recordings-view.tsx")).RecordingsView, items: recordings }), "viewer");
    addHistory(async (traces, wanted) => (await import("./file/past-samples.ts")).readPastRecordings(traces, wanted));
  },
};
