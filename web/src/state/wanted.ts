import type { Need } from "../../../src/base/access.ts";
import type { CLIENT_FRAMES, ClientFrameType } from "../../../src/protocol/frames/frames.ts";

type NamedType = { [T in ClientFrameType]: (typeof CLIENT_FRAMES)[T]["scope"] extends "name" ? T : never }[ClientFrameType];

/** The type of a frame that is about no process of a name. */
export type GeneralFrame = Exclude<ClientFrameType, NamedType>;

/**
 * A request as far as its permission depends on it. A frame: its type, its name if it is about one, and fields that need more; the tables of frames
 * know its need. A request to a route: its need, on a process or group, or on everything (null).
 */
export type Wanted =
  | { readonly type: NamedType; readonly name: string; readonly [field: string]: unknown }
  | { readonly type: GeneralFrame; readonly [field: string]: unknown }
  | { readonly need: Need; readonly on: string | null };
