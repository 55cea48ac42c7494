import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { accessLink } from "../../../../src/features/access-tokens/access-link.ts";
import type { AccessToken } from "../../../../src/features/access-tokens/wire.ts";
import { copy } from "../../ui/browser/clipboard.ts";
import { Button } from "../../ui/button.tsx";
import { isConnected } from "../../ui/connected.ts";
import { Labelled } from "../../ui/labelled.tsx";
import { ListView } from "../../ui/list/list-view.tsx";
import { SidePanel } from "../../ui/list/side-panel.tsx";
import type { Column } from "../../ui/list/table.tsx";
import { Icon } from "../../ui/marks/icons.tsx";
import { problem, refresh, tokens } from "./access-store.ts";
import { TokenForm } from "./token-form.tsx";
import { TokenPanel } from "./token-panel.tsx";
import { endText, onText } from "./token-text.ts";

const filter = signal("");

const COLUMNS: readonly Column<AccessToken>[] = [
  { title: "Role", value: ({ role }) => role, cell: ({ role, valid }) => (valid ? role : <span class="warn">{role}, not valid</span>) },
  { title: "On", cell: ({ on }) => onText(on) },
  { title: "Expires", value: ({ expires }) => expires, cell: ({ expires }) => endText(expires) },
  { title: "Created by", isWide: true, value: ({ created_by }) => created_by, cell: ({ created_by }) => created_by },
];

/** A token that was just created: the only time at which it is shown. */
interface Created {
  readonly name: string;
  readonly secret: string;
}

type Side = "none" | "form" | Created;

/** The access tokens: links for wall screens and colleagues, and tokens for scripts. */
export function AccessView() {
  const [selected, setSelected] = useState<string | null>(null);
  const [side, setSide] = useState<Side>("none");
  const connected = isConnected.value;
  useEffect(() => {
    if (connected) void refresh();
  }, [connected]);
  if (problem.value !== null) return <Unavailable text={problem.value} />;
  const select = (name: string | null) => {
    setSelected(name);
    if (name !== null) setSide("none");
  };
  const created = async (made: Created) => {
    setSide(made);
    await refresh();
  };
  return (
    <section class="access" aria-label="Access">
      <header class="bar">
        <h1>Access</h1>
      </header>
      <ListView
        label="Access tokens"
        items={tokens.value ?? []}
        textOf={({ name, role, on, created_by }) => [name, role, onText(on), created_by]}
        filter={filter}
        keyOf={({ name }) => name}
        nameOf={({ name }) => name}
        nameTitle="Token"
        columns={COLUMNS}
        selected={selected}
        onSelect={select}
        tools={
          <Button pressed={side === "form"} onClick={() => setSide(side === "form" ? "none" : "form")}>
            New link…
          </Button>
        }
        form={sideOf(side, { onCreated: created, onClose: () => setSide("none") })}
        panelOf={(token, onClose) => <TokenPanel key={token.name} token={token} onClose={onClose} />}
        empty={
          tokens.value !== null && (
            <>
              <p>No links. A link logs in a wall screen, a colleague or a script without a password, with a role that you choose.</p>
              <Button class="strong" needsManager onClick={() => setSide("form")}>
                Create a link
              </Button>
            </>
          )
        }
      />
    </section>
  );
}

function sideOf(side: Side, { onCreated, onClose }: { onCreated: (made: Created) => Promise<void>; onClose: () => void }) {
  if (side === "none") return null;
  return side === "form" ? <TokenForm onCreated={onCreated} onClose={onClose} /> : <CreatedPanel made={side} onClose={onClose} />;
}

function Unavailable({ text }: { text: string }) {
  return (
    <section class="access" aria-label="Access">
      <header class="bar">
        <h1>Access</h1>
      </header>
      <p class="why bad" role="alert">
        {text}
      </p>
    </section>
  );
}

/** The link and the token, which only their receiver knows afterwards. */
function CreatedPanel({ made: { name, secret }, onClose }: { made: Created; onClose: () => void }) {
  const link = accessLink(location.origin, secret);
  return (
    <SidePanel label={`Link of ${name}`} onClose={onClose}>
      <section class="detail-section access-secret">
        <p role="status">It is shown only now. Send it like a password: the link is enough to log in.</p>
        <Secret text="Link" value={link} />
        <Secret text="Token" value={secret} />
      </section>
    </SidePanel>
  );
}

function Secret({ text, value }: { text: string; value: string }) {
  return (
    <div class="access-copy">
      <Labelled text={text}>
        <input readOnly spellcheck={false} value={value} onFocus={(event) => event.currentTarget.select()} />
      </Labelled>
      <Button label={`Copy: ${text}`} onClick={() => void copy(value, `the ${text.toLowerCase()}`)}>
        <Icon name="copy" />
        Copy
      </Button>
    </div>
  );
}
