import type { Need } from "../../../src/base/access/access.ts";
import type { CLIENT_FRAMES, ClientFrameType } from "../../../src/protocol/frames/frames.ts";

type NamedType = { [T in ClientFrameType]: (typeof CLIENT_FRAMES)[T]["scope"] extends "name" ? T : never }[ClientFrameType];

type OwnedType = { [T in ClientFrameType]: (typeof CLIENT_FRAMES)[T]["scope"] extends "owned" ? T : never }[ClientFrameType];

/** The type of a frame that is about no process of a name, and about no object of processes. */
export type GeneralFrame = Exclude<ClientFrameType, NamedType | OwnedType>;

/**
 * A request as far as its permission depends on it. A frame: its type, its name or the owners of its object if it is about one, and fields that need more; the tables of frames
 * know its need. A request to a route: its need, on a process or group, or on everything (null).
 */
export type Wanted =
  | { readonly type: NamedType; readonly name: string; readonly owners?: never; readonly [field: string]: unknown }
  /** `owners`: the processes to which the object belongs; null: everything. */
  | { readonly type: OwnedType; readonly owners: readonly string[] | null; readonly [field: string]: unknown }
  | { readonly type: GeneralFrame; readonly owners?: never; readonly [field: string]: unknown }
  | { readonly need: Need; readonly on: string | null };
