import { setFlagsFromString } from "node:v8";
import { runInThisContext } from "node:vm";

/** How V8 keeps objects (docs/design/library-defects.md, "V8"). */
export function shapes(): { isFast: (value: object) => boolean; isSame: (one: object, other: object) => boolean } {
  setFlagsFromString("--allow-natives-syntax");
  return {
    isFast: runInThisContext("(value) => %HasFastProperties(value)"),
    isSame: runInThisContext("(one, other) => %HaveSameMap(one, other)"),
  };
}
