import { useState } from "preact/hooks";
import { ROLES, type Role } from "../../../../src/base/access/access.ts";
import { messageOf } from "../../../../src/base/errors.ts";
import { client } from "../../state/store.ts";
import { Button } from "../../ui/button.tsx";
import { Labelled } from "../../ui/labelled.tsx";
import { SidePanel } from "../../ui/list/side-panel.tsx";

const DAY_S = 86_400;
const LIFETIMES: readonly (readonly [text: string, seconds: number])[] = [
  ["1 hour", 3_600],
  ["1 day", DAY_S],
  ["7 days", 7 * DAY_S],
  ["30 days", 30 * DAY_S],
  ["1 year", 365 * DAY_S],
];
const MEANINGS: Readonly<Record<Role, string>> = {
  viewer: "looks, changes nothing",
  operator: "starts, stops and uses processes",
  admin: "may do everything",
};

interface Props {
  readonly onCreated: (made: { name: string; secret: string }) => Promise<void>;
  readonly onClose: () => void;
}

/** A form that creates an access token. */
export function TokenForm({ onCreated, onClose }: Props) {
  const [name, setName] = useState("");
  const [role, setRole] = useState<Role>("viewer");
  const [patterns, setPatterns] = useState("");
  const [lifetime, setLifetime] = useState(7 * DAY_S);
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const canCreate = name.trim() !== "" && !isBusy;
  const create = async () => {
    if (!canCreate) return;
    setBusy(true);
    setProblem(null);
    const on = patterns.split(/[\s,]+/).filter((each) => each !== "");
    try {
      const request = { type: "create_access_token", name: name.trim(), role, lifetime } as const;
      const { secret } = await client.request(on.length === 0 ? request : { ...request, on });
      await onCreated({ name: name.trim(), secret });
    } catch (error) {
      setProblem(messageOf(error));
      setBusy(false);
    }
  };
  return (
    <SidePanel label="New link" onClose={onClose}>
      <form
        class="detail-section access-form"
        onSubmit={(event) => {
          event.preventDefault();
          void create();
        }}
      >
        <TextField text="Name" placeholder="wall" value={name} onChange={setName} />
        <Choice
          text="Role"
          value={role}
          options={ROLES.map((each) => [each, `${each}: ${MEANINGS[each]}`])}
          onChange={(chosen) => setRole(chosen as Role)}
        />
        <TextField text="Processes" placeholder="all, or patterns such as sim/*" value={patterns} onChange={setPatterns} />
        <Choice
          text="Expires after"
          value={String(lifetime)}
          options={LIFETIMES.map(([text, seconds]) => [String(seconds), text])}
          onChange={(seconds) => setLifetime(Number(seconds))}
        />
        <div>
          <Button class="strong" needsManager enabled={canCreate} onClick={() => void create()}>
            Create
          </Button>
        </div>
        <p class="bad" role="status">
          {problem}
        </p>
      </form>
    </SidePanel>
  );
}

interface FieldProps {
  readonly text: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function TextField({ text, value, placeholder, onChange }: FieldProps & { placeholder: string }) {
  return (
    <Labelled text={text}>
      <input
        spellcheck={false}
        autocapitalize="none"
        placeholder={placeholder}
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    </Labelled>
  );
}

function Choice({ text, value, options, onChange }: FieldProps & { options: readonly (readonly [value: string, word: string])[] }) {
  return (
    <Labelled text={text}>
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {options.map(([each, word]) => (
          <option key={each} value={each}>
            {word}
          </option>
        ))}
      </select>
    </Labelled>
  );
}
