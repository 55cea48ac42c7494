import type { RefObject } from "preact";
import { processNames } from "../../../state/store.ts";
import { Button } from "../../../ui/button.tsx";
import { AGES, type SearchQuery, searchedNames } from "./search-query.ts";
import { cancelSearch, query, searchState, startSearch } from "./search-run.ts";

const change = (part: Partial<SearchQuery>) => {
  query.value = { ...query.peek(), ...part };
};

/** A change of a switch or a list: if something was searched, it is searched again. */
const changeAndSearch = (part: Partial<SearchQuery>) => {
  change(part);
  if (searchState.peek().kind !== "idle") void startSearch();
};

/** The fields of a search: the pattern, and where to look. `onDown`: moves the focus to the hits. */
export function SearchForm({ input, onDown }: { input: RefObject<HTMLInputElement | null>; onDown: () => void }) {
  const { pattern, isRegex, matchesCase, names, since } = query.value;
  const isRunning = searchState.value.kind === "running";
  const all = processNames.value;
  const chosen = searchedNames(names, all).length;
  return (
    <search class="bar" aria-label="Output">
      <form
        class="search-form"
        onSubmit={(event) => event.preventDefault()}
        onKeyDown={(event) => {
          const key = event.key.toLowerCase();
          const isField = event.target instanceof HTMLInputElement;
          if (event.key === "Enter" && isField) void startSearch();
          else if (event.key === "ArrowDown" && isField) onDown();
          else if (event.altKey && key === "c") changeAndSearch({ matchesCase: !matchesCase });
          else if (event.altKey && key === "r") changeAndSearch({ isRegex: !isRegex });
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      >
        <input
          ref={input}
          type="search"
          class="pattern"
          aria-label="Search the output of processes"
          placeholder={isRegex ? "Regular expression (RE2)" : "Search the output of processes"}
          maxLength={1_024}
          value={pattern}
          onInput={(event) => change({ pattern: event.currentTarget.value })}
        />
        <Button
          class="switch"
          label="Match case  Alt-C"
          title="Match case  Alt-C"
          pressed={matchesCase}
          onClick={() => changeAndSearch({ matchesCase: !matchesCase })}
        >
          Aa
        </Button>
        <Button
          class="switch"
          label="Regular expression  Alt-R"
          title="Regular expression (RE2: no look-around, no back-references)  Alt-R"
          pressed={isRegex}
          onClick={() => changeAndSearch({ isRegex: !isRegex })}
        >
          .*
        </Button>
        <input
          type="search"
          class="names"
          aria-label="Processes: names, groups, patterns such as sim/*, or parts of names"
          title="Names, groups, patterns such as sim/*, or parts of names"
          placeholder="All processes"
          aria-invalid={all.length > 0 && chosen === 0 ? true : undefined}
          value={names}
          onInput={(event) => change({ names: event.currentTarget.value })}
        />
        <span class="soft chosen">{`${chosen} of ${all.length}`}</span>
        <select
          aria-label="Age of output"
          value={since}
          onChange={(event) => changeAndSearch({ since: Number(event.currentTarget.value) })}
        >
          {AGES.map(([seconds, text]) => (
            <option key={seconds} value={seconds}>
              {text}
            </option>
          ))}
        </select>
        <Button
          class={isRunning ? "run" : "run strong"}
          needsManager
          enabled={isRunning || (pattern !== "" && chosen > 0)}
          onClick={() => (isRunning ? cancelSearch() : void startSearch())}
        >
          {isRunning ? "Cancel" : "Search"}
        </Button>
      </form>
    </search>
  );
}
