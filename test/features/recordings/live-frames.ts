import type { Live } from "../../e2e/support/live-frames.ts";

export async function recordingsLive({ ask }: Live): Promise<void> {
  await ask({ type: "request_recordings" });
  const recording = { name: "live", topics: ["arm/*"], terminals: ["tools/*"], include: ["log"] };
  await ask({ type: "start_recording", ...recording, max_size: 65_536, max_duration: 60_000, max_files: 2, min_free_space: 0 });
  await ask({ type: "stop_recording", name: "live" });
  await ask({ type: "delete_recording", name: "live" });
}
