import { expect } from "vitest";
import { CLIENT_FRAMES } from "../../contract/client-frames.ts";
import type { BusProgram } from "./bus-program.ts";
import type { Client, Frame } from "./client.ts";

/** Sends a frame, and fails unless it is answered as its row says. */
export type Ask = (frame: Frame) => Promise<Frame>;

/** A live manager that has everything that frames can be about. */
export interface Live {
  readonly ask: Ask;
  readonly client: Client;
  /** It publishes `topic`, and provides services and parameters. */
  readonly program: BusProgram;
  /** Name of a process that runs. */
  readonly process: string;
  readonly topic: string;
}

/** Sends each frame of a feature with all its fields, so that each is answered and none is refused. */
export type LiveFrames = (live: Live) => Promise<void>;

export async function askLive(client: Client, frame: Frame): Promise<Frame> {
  const answer = await client.ask(frame);
  expect(answer.type, `answer to ${JSON.stringify(frame)}: ${JSON.stringify(answer)}`).toBe(CLIENT_FRAMES[frame.type]?.answer ?? "ack");
  expect(answer.ok ?? true, JSON.stringify(answer)).toBe(true);
  return answer;
}
