import { signal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Button } from "../../ui/button.tsx";
import { IconButton } from "../../ui/marks/icons.tsx";
import type { OpenTerminal } from "../terminal.ts";
import { resultText, type SearchQuery, type SearchResults, searchProblem } from "./search-query.ts";

/** Options that are kept from one search to the next, in every terminal. */
const isCaseSensitive = signal(false);
const isRegex = signal(false);

/** Searches a terminal, from its end upwards. `asked`: number of requests for the bar; each request gives it the focus. */
export function SearchBar({ terminal, asked, onClose }: { terminal: OpenTerminal | null; asked: number; onClose: () => void }) {
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState("");
  const [results, setResults] = useState<SearchResults>({ index: -1, count: 0 });
  const query: SearchQuery = { text, caseSensitive: isCaseSensitive.value, regex: isRegex.value };
  // Runs before painting: the next typed text is for the bar and not for the process.
  useLayoutEffect(() => {
    input.current?.focus();
    input.current?.select();
  }, [asked]);
  useEffect(() => terminal?.onResults(setResults), [terminal]);
  // Runs before the next key: Enter right after the last letter steps through the new matches.
  useLayoutEffect(() => {
    // A selection stays until something is typed.
    if (!terminal || (text === "" && results.count === 0)) return;
    terminal.beginFind();
    if (text === "" || searchProblem(query) !== null) setResults({ index: -1, count: 0 });
    else terminal.find(query, "previous");
  }, [terminal, text, isCaseSensitive.value, isRegex.value]);
  const find = (direction: "previous" | "next") => {
    if (text !== "" && searchProblem(query) === null) terminal?.find(query, direction);
  };
  const resultLabel = resultText(query, results);
  const isMissed = text !== "" && results.count === 0;
  return (
    <search
      class="search-bar"
      aria-label="Terminal search"
      onKeyDown={(event) => {
        const key = event.key.toLowerCase();
        if (event.key === "Escape") onClose();
        else if (event.altKey && key === "c") isCaseSensitive.value = !isCaseSensitive.value;
        else if (event.altKey && key === "r") isRegex.value = !isRegex.value;
        else return;
        event.preventDefault();
        event.stopPropagation();
      }}
    >
      <input
        ref={input}
        type="search"
        aria-label="Search the terminal"
        placeholder="Search the terminal"
        aria-invalid={isMissed || undefined}
        class={isMissed ? "missed" : ""}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter") return;
          find(event.shiftKey ? "next" : "previous");
          event.preventDefault();
        }}
      />
      <Switch label="Match case  Alt-C" text="Aa" setting={isCaseSensitive} />
      <Switch label="Regular expression  Alt-R" text=".*" setting={isRegex} />
      <span class={`results ${isMissed ? "warn" : ""}`} role="status">
        {resultLabel}
      </span>
      <IconButton icon="up" label="Previous match  Enter" word="Previous" enabled={results.count > 0} onClick={() => find("previous")} />
      <IconButton icon="down" label="Next match  Shift-Enter" word="Next" enabled={results.count > 0} onClick={() => find("next")} />
      <IconButton icon="close" label="Close search  Esc" word="Close" onClick={onClose} />
    </search>
  );
}

function Switch({ label, text, setting }: { label: string; text: string; setting: { value: boolean } }) {
  return (
    <Button
      class="icon switch"
      label={label}
      title={label}
      pressed={setting.value}
      onClick={() => {
        setting.value = !setting.value;
      }}
    >
      {text}
    </Button>
  );
}
