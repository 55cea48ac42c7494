import { parseJson } from "../../../../src/base/json.ts";

type Read = { ok: true; value: unknown } | { ok: false; problem: string };

export function readJson(text: string): Read {
  const value = parseJson(text);
  return value === undefined ? { ok: false, problem: "This is not JSON: names and texts need double quotes." } : { ok: true, value };
}

interface Props {
  readonly label: string;
  readonly text: string;
  readonly onInput: (text: string) => void;
  /** Called on Ctrl-Enter. */
  readonly onSubmit: () => void;
}

/** A field for a JSON value, which shows what is wrong with it. */
export function JsonInput({ label, text, onInput, onSubmit }: Props) {
  const read = readJson(text);
  return (
    <>
      <label>
        <span>{label}</span>
        <textarea
          rows={Math.min(12, Math.max(3, text.split("\n").length))}
          spellcheck={false}
          value={text}
          aria-invalid={!read.ok}
          onInput={(event) => onInput(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) onSubmit();
          }}
        />
      </label>
      {!read.ok && <p class="bad">{read.problem}</p>}
    </>
  );
}
