import { useState } from "preact/hooks";
import { rateText } from "../../../../src/client/shown/units.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/marks/icons.tsx";
import { topics } from "../data-plane/plot/public.ts";
import { addition, isCovered, listedTopics } from "./topic-choice.ts";

interface Props {
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
  /** Whether patterns can be chosen, too: they also select topics that appear later. */
  readonly patterns: boolean;
  /** Text that is shown if no topic is chosen. */
  readonly none: string;
}

/** Chooses topics from the list of published ones, by name, or by pattern. */
export function TopicChooser({ chosen, onChange, patterns, none }: Props) {
  const [text, setText] = useState("");
  const published = topics.value.map(({ name }) => name);
  const listed = listedTopics(published, text);
  const added = addition(text, chosen, patterns);
  const add = (name: string) => onChange([...chosen, name]);
  const remove = (name: string) => onChange(chosen.filter((one) => one !== name));
  // Published topics already have a check box in the list.
  const chips = chosen.filter((name) => !published.includes(name));
  return (
    <fieldset class="topic-chooser">
      <legend>Topics</legend>
      <div class="publish-row">
        <input
          type="search"
          aria-label={patterns ? "Topic or pattern" : "Topic"}
          placeholder={patterns ? "Filter, or a pattern: arm/*" : "Filter, or a name"}
          spellcheck={false}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter") return;
            // Enter adds the typed topic, and does not submit the form.
            event.preventDefault();
            if (added !== null) {
              add(added);
              setText("");
            }
          }}
        />
        <Button
          enabled={added !== null}
          onClick={() => {
            if (added === null) return;
            add(added);
            setText("");
          }}
        >
          Add
        </Button>
      </div>
      {chips.length > 0 && (
        <ul class="chosen" aria-label="Chosen">
          {chips.map((name) => (
            <li key={name}>
              <Button title={`Remove ${name}`} label={`Remove ${name}`} onClick={() => remove(name)}>
                <span>{name}</span>
                <Icon name="close" />
              </Button>
            </li>
          ))}
        </ul>
      )}
      <ul class="topic-list">
        {listed.map((name) => {
          const covered = isCovered(name, chosen);
          return (
            <li key={name}>
              <label>
                <input
                  type="checkbox"
                  checked={covered || chosen.includes(name)}
                  disabled={covered}
                  onChange={(event) => (event.currentTarget.checked ? add(name) : remove(name))}
                />
                <span>{name}</span>
                <span class="soft">{rateText(topics.value.find((topic) => topic.name === name)?.publisher_rate ?? 0)}</span>
              </label>
            </li>
          );
        })}
        {listed.length === 0 && <li class="soft">{published.length === 0 ? "No topics are published." : "No matches."}</li>}
      </ul>
      <p class="soft" role="status">
        {chosen.length === 0 ? none : `${chosen.length} selected`}
      </p>
    </fieldset>
  );
}
