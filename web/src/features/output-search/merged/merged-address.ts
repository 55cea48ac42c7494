import { useEffect, useState } from "preact/hooks";
import { putInAddress } from "../../../state/address-parameters.ts";
import { current } from "../../../state/navigation.ts";
import { MERGED_PARAMETERS } from "../views.ts";
import { type MergedOptions, mergedOfAddress, mergedParameters } from "./merged-options.ts";

/** Options of views that were closed: they are as before when they are opened again. */
const known = new Map<string, MergedOptions>();

/** The options of a view, which its address has, too. */
export function useMergedOptions(of: string): [MergedOptions, (part: Partial<MergedOptions>) => void] {
  const [options, setOptions] = useState(() => {
    const isNamed =
      new URLSearchParams(location.search).get("merged") === of && mergedParameters(mergedOfAddress(location.search)).length > 0;
    return isNamed ? mergedOfAddress(location.search) : (known.get(of) ?? mergedOfAddress(""));
  });
  const view = current.value;
  const isCurrent = view.kind === "merged" && view.of === of;
  useEffect(() => {
    known.set(of, options);
    if (!isCurrent) return;
    putInAddress(MERGED_PARAMETERS, mergedParameters(options));
  }, [of, options, isCurrent]);
  return [options, (part) => setOptions((before) => ({ ...before, ...part }))];
}
