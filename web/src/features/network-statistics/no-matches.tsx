import { filter, filterText, pickedHost, showAllTraffic } from "./network-store.ts";

/** The note that all rows are filtered out or hidden. */
export function NoMatches() {
  const { text, host } = filter.value;
  const isFiltered = text !== "" || host !== null;
  return (
    <div class="no-matches">
      <p>{isFiltered ? "No matches." : "All rows are hidden."}</p>
      <button
        type="button"
        onClick={() => {
          if (!isFiltered) return showAllTraffic();
          filterText.value = "";
          pickedHost.value = null;
        }}
      >
        {isFiltered ? "Clear the filter" : "Show all"}
      </button>
    </div>
  );
}
