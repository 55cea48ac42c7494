import type { ClientFrameType, FrameOf } from "../../src/protocol/frames/frames.ts";
import { CLIENT_FRAMES } from "../contract/client-frames.ts";
import { exampleOfFields, TAKEN } from "../contract/examples.ts";

/** Names of what the tests have. */
const NAMED: Readonly<Record<string, unknown>> = { name: "sim/world", host: "rt1", pid: 4711, tid: 4712 };

function validFrame(type: string, fields: (typeof CLIENT_FRAMES)[string]["fields"]): object {
  const named = Object.entries(NAMED).filter(([field]) => field in fields);
  return { type, ...exampleOfFields(fields), ...Object.fromEntries(named), ...TAKEN[type] };
}

/** A good frame of each type, with every field: an example of its row in the tables of test/contract. */
export const validFrames = Object.fromEntries(
  Object.entries(CLIENT_FRAMES).map(([type, { fields }]) => [type, validFrame(type, fields)]),
) as {
  readonly [T in ClientFrameType]: FrameOf<T>;
};
