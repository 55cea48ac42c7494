import type { Live } from "../../e2e/support/live-frames.ts";

export async function replayLive({ ask, client, program, topic }: Live): Promise<void> {
  await ask({ type: "start_recording", name: "played", topics: [topic], min_free_space: 0 });
  program.publish(1);
  await client.until("the recorded message", ({ type, recording }) => type === "recording_upsert" && isRecorded(recording));
  await ask({ type: "stop_recording", name: "played" });
  await ask({ type: "request_playbacks" });

  const from = client.here;
  const { playback } = await ask({
    type: "play_recording",
    name: "played",
    remap: [`${topic}=played/state`],
    paused: true,
    from: 0,
    until: 1,
    clock: true,
  });
  const { id } = playback as { id: string };
  await ask({ type: "control_playback", playback: id, action: "seek", position: 0 });
  await ask({ type: "control_playback", playback: id, action: "rate", rate: 2 });
  await ask({ type: "control_playback", playback: id, action: "loop", loop: false });
  await ask({ type: "control_playback", playback: id, action: "stop" });
  await client.until("the end of the play", ({ type }) => type === "playback_remove", from);
  await ask({ type: "delete_recording", name: "played" });
}

function isRecorded(recording: unknown): boolean {
  const { name, messages } = recording as { name: string; messages: number };
  return name === "played" && messages > 0;
}
