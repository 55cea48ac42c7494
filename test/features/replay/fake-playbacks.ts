import { MgrError } from "../../../src/base/errors.ts";
import { replayExtension } from "../../../src/features/replay/manager/index.ts";
import type { ControlRequest, Playbacks, PlayRequest } from "../../../src/features/replay/manager/playbacks.ts";
import type { Playback } from "../../../src/features/replay/wire.ts";

/** Plays of a host without files: each request is carried out. */
export class FakePlaybacks implements Playbacks {
  readonly extension = replayExtension(this);
  readonly plays = new Map<string, Playback>();
  readonly calls: unknown[][] = [];

  list(): Playback[] {
    return [...this.plays.values()];
  }

  async play(request: PlayRequest, by: string): Promise<Playback> {
    this.calls.push(["play", request, by]);
    const playback: Playback = {
      id: `play-${this.plays.size + 1}`,
      recording: request.name,
      host: request.host ?? "testhost",
      user: by,
      state: request.paused ? "paused" : "playing",
      host_ready: true,
      start_time: "2026-11-26T12:00:00.000",
      position: 0,
      length: 10,
      rate: request.rate ?? 1,
      loop: request.loop ?? false,
      published: 0,
      late: 0,
      topics: ["arm/state"],
      topic_count: 1,
      notes: [],
      problem: null,
    };
    this.plays.set(playback.id, playback);
    return playback;
  }

  async control(request: ControlRequest, by: string): Promise<void> {
    if (request.playback === "unknown") throw new MgrError("not_found", "the play has ended");
    this.calls.push(["control", request, by]);
  }
}
