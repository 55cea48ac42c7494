import { useState } from "preact/hooks";
import { ROLES, type Role } from "../../../../src/base/access.ts";
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
        <Labelled text="Name">
          <input
            spellcheck={false}
            autocapitalize="none"
            placeholder="wall"
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </Labelled>
        <Labelled text="Role">
          <select value={role} onChange={(event) => setRole(event.currentTarget.value as Role)}>
            {ROLES.map((each) => (
              <option key={each} value={each}>
                {each}: {MEANINGS[each]}
              </option>
            ))}
          </select>
        </Labelled>
        <Labelled text="Processes">
          <input
            spellcheck={false}
            autocapitalize="none"
            placeholder="all, or patterns such as sim/*"
            value={patterns}
            onInput={(event) => setPatterns(event.currentTarget.value)}
          />
        </Labelled>
        <Labelled text="Expires after">
          <select value={String(lifetime)} onChange={(event) => setLifetime(Number(event.currentTarget.value))}>
            {LIFETIMES.map(([text, seconds]) => (
              <option key={seconds} value={String(seconds)}>
                {text}
              </option>
            ))}
          </select>
        </Labelled>
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
