import { effect, signal } from "@preact/signals";
import { current, poppedOut, showProcess } from "../../state/navigation.ts";
import { addressOfView, viewOfAddress, withoutParameters } from "../../state/views.ts";
import { type OutputTarget, parseTarget, textOfTarget } from "./output-target.ts";

/** The parameter of an address that names a place in the output of its process. */
const PARAMETER = "at";

/** The place that the terminal of a process shows as soon as it can; null: none is requested. */
const requested = signal<{ readonly name: string; readonly target: OutputTarget } | null>(null);

/**
 * Opens the terminal of a process, scrolled to a place in its output, and marks that line for a moment. If the line is not in memory any more,
 * a message says so. The address then leads to the place, too.
 */
export function openOutputAt(name: string, place: OutputTarget): void {
  showProcess(name);
  requested.value = { name, target: place };
  if (poppedOut) return;
  const address = addressOfView(current.value, withoutParameters(location.search));
  history.replaceState(null, "", `${address}&${PARAMETER}=${textOfTarget(place)}`);
}

/** Calls `go` with each place in the output of a process that is requested, one that waits included. Returns a function that ends this. */
export function onPlaceRequested(name: string, go: (target: OutputTarget) => void): () => void {
  return effect(() => {
    if (requested.value?.name !== name) return;
    const { target } = requested.value;
    requested.value = null;
    go(target);
  });
}

/** Shows the place that the address of the page names, now and when the user steps through the history of the browser. */
export function followPlaceAddress(): void {
  readAddress();
  addEventListener("popstate", readAddress);
}

function readAddress(): void {
  const view = viewOfAddress(location);
  const target = parseTarget(new URLSearchParams(location.search).get(PARAMETER) ?? "");
  if (view?.kind === "process" && target !== null) requested.value = { name: view.name, target };
}
