import { useEffect, useState } from "preact/hooks";
import { messageOf } from "../../../../../src/base/errors.ts";
import { cpuText, memoryText } from "../../../../../src/client/shown/load-text.ts";
import { SAMPLE_MS } from "../../../../../src/features/load-history/series.ts";
import { linkTo } from "../../../state/navigation.ts";
import { kept } from "../../../state/settings.ts";
import { client, connection, hosts } from "../../../state/store.ts";
import { Icon } from "../../../ui/marks/icons.tsx";
import { Name } from "../../../ui/name.tsx";
import { type GreedBy, greediest, type NewestLoad } from "./greediest.ts";

const MAX_ROWS = 8;
const isOpen = kept<boolean>("greediestOpen", false, (value) => (typeof value === "boolean" ? value : null));

/** The processes that use the most CPU and memory now, on request. */
export function GreediestSection() {
  return (
    <section class="greediest">
      <h2>
        <button
          type="button"
          class="disclose"
          aria-expanded={isOpen.value}
          onClick={() => {
            isOpen.value = !isOpen.value;
          }}
        >
          <span class="twist" aria-hidden="true">
            <Icon name="next" />
          </span>
          What uses up this machine?
        </button>
      </h2>
      {isOpen.value && <Lists />}
    </section>
  );
}

type Newest = { loads: readonly NewestLoad[]; away: readonly string[] } | { problem: string } | null;

function Lists() {
  const newest = useNewest();
  if (newest === null) return <p class="soft">Measuring…</p>;
  if ("problem" in newest) return <p class="soft">{newest.problem}</p>;
  return (
    <>
      <div class="greediest-lists">
        <List title="Most CPU" loads={newest.loads} by="cpu_percent" text={(value) => `${cpuText(value)} %`} />
        <List title="Most memory" loads={newest.loads} by="memory" text={memoryText} />
      </div>
      {newest.away.length > 0 && <p class="soft">Not asked, because they cannot be reached: {newest.away.join(", ")}.</p>}
    </>
  );
}

interface ListProps {
  readonly title: string;
  readonly loads: readonly NewestLoad[];
  readonly by: GreedBy;
  readonly text: (value: number) => string;
}

function List({ title, loads, by, text }: ListProps) {
  const rows = greediest(loads, by, MAX_ROWS);
  const most = rows[0]?.load[by] ?? 1;
  const hasHosts = hosts.value.length > 1;
  return (
    <section>
      <h3>{title}</h3>
      {rows.length === 0 && <p class="soft">No process uses any.</p>}
      <ol aria-label={title}>
        {rows.map(({ name, host, load }) => (
          <li key={`${name} ${host}`}>
            <a class="member" {...linkTo({ kind: "process", name }, name)} title={name}>
              <Name name={name} />
            </a>
            {hasHosts && <span class="soft">{host}</span>}
            <span class="greed" style={{ "--share": `${(100 * (load[by] ?? 0)) / most}%` }}>
              {text(load[by] ?? 0)}
            </span>
            <a class="soft" {...linkTo({ kind: "history", about: "processes", name }, `History of ${name}`)}>
              History
            </a>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** The newest measurements, requested as often as there are new ones. */
function useNewest(): Newest {
  const [newest, setNewest] = useState<Newest>(null);
  const isConnected = connection.value.kind === "open";
  useEffect(() => {
    if (!isConnected) return;
    let isOver = false;
    const request = async () => {
      if (document.hidden) return;
      const answer = await client.request({ type: "request_newest_load" }).then(
        ({ processes, away }): Newest => ({ loads: processes, away }),
        (error: unknown): Newest => ({ problem: messageOf(error) }),
      );
      if (!isOver) setNewest(answer);
    };
    void request();
    const timer = setInterval(() => void request(), SAMPLE_MS);
    return () => {
      isOver = true;
      clearInterval(timer);
    };
  }, [isConnected]);
  return newest;
}
