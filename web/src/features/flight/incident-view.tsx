import { clockOffsetText } from "../../../../src/client/shown/clock-offset.ts";
import { bytesText } from "../../../../src/client/shown/units.ts";
import type { Incident } from "../../../../src/features/flight/wire.ts";
import { refusalOf } from "../../state/access.ts";
import { linkTo, show } from "../../state/navigation.ts";
import type { ViewOf } from "../../state/views.ts";
import { Button } from "../../ui/button.tsx";
import { Pair, Section } from "../../ui/detail-section.tsx";
import { Icon } from "../../ui/marks/icons.tsx";
import { clockTime } from "../../ui/time.ts";
import { useFile } from "../recordings/file/public-plot.ts";
import { download, incidentAddress, pin, remove } from "./incident-actions.ts";
import { causeText, HOST_WORDS, STATE_WORDS } from "./incident-text.ts";
import { incidents } from "./incidents-store.ts";
import { Moment } from "./moment.tsx";

/** One incident: why it was kept and what it lacks, and its time with a moment of it. */
export function IncidentView({ view: { id } }: { view: ViewOf<"incident"> }) {
  const incident = incidents.value?.find((one) => one.id === id);
  if (incident === undefined)
    return (
      <p class="empty nothing" role="status">
        {incidents.value === null ? "Loading …" : `There is no incident ${id} any more.`}
      </p>
    );
  return (
    <section class="data incident" aria-label={`Incident ${id}`}>
      <header class="data-filter">
        <a {...linkTo({ kind: "incidents" })}>Incidents</a>
        <h2 title={id}>{causeText(incident)}</h2>
        <span class="grow" />
        <Tools incident={incident} />
      </header>
      <div class="incident-body">
        <Facts incident={incident} />
        {incident.size > 0 && <Recorded key={`${id} ${incident.size}`} incident={incident} />}
      </div>
    </section>
  );
}

function Tools({ incident }: { incident: Incident }) {
  const { is_pinned, size } = incident;
  return (
    <>
      <Button enabled={size > 0} forbidden={refusalOf({ need: "download", on: null }, "A download")} onClick={() => download(incident)}>
        <Icon name="download" />
        Download
      </Button>
      <Button
        pressed={is_pinned}
        title="A pinned incident stays when newer ones come"
        needsManager
        forbidden={refusalOf({ type: "pin_incident" })}
        onClick={() => void pin(incident)}
      >
        {is_pinned ? "Pinned" : "Pin"}
      </Button>
      <Button
        needsManager
        forbidden={refusalOf({ type: "delete_incident" })}
        onClick={() => void remove(incident).then((isGone) => isGone && show({ kind: "incidents" }))}
      >
        <Icon name="clear" />
        Delete
      </Button>
    </>
  );
}

function Facts({ incident }: { incident: Incident }) {
  const { state, problem, from, until, triggers, by, hosts, missing, messages, size } = incident;
  return (
    <div class="incident-facts">
      <Section title="Why">
        {problem !== null && <p class="bad">{problem}</p>}
        <dl class="pairs">
          <Pair term="State">{STATE_WORDS[state]}</Pair>
          <Pair term="Time">{`${clockTime(from)} to ${clockTime(until)}`}</Pair>
          {by !== null && <Pair term="Requested by">{by}</Pair>}
          <Pair term="File">{`${messages.toLocaleString("en-US")} messages, ${bytesText(size)}`}</Pair>
        </dl>
        <ul class="incident-causes">
          {triggers.map(({ trigger, text, host, time, fired }) => (
            <li key={`${trigger} ${host} ${time}`}>
              <span class="soft">{clockTime(time)}</span> {text}
              {host !== null && <span class="soft">{` on ${host}`}</span>}
              {fired > 1 && <span class="soft">{`, ${fired} times`}</span>}
            </li>
          ))}
        </ul>
      </Section>
      {missing.length > 0 && (
        <Section title="Missing">
          <ul class="incident-missing">
            {missing.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </Section>
      )}
      <Section title="Hosts">
        <ul class="incident-hosts">
          {hosts.map((host) => (
            <li key={host.host}>
              <strong>{host.host}</strong>
              <span>{HOST_WORDS[host.state]}</span>
              <span class="soft">{`clock ${clockOffsetText(host)}`}</span>
              {host.reaches !== null && <span class="soft">{`back to ${clockTime(host.reaches)}`}</span>}
            </li>
          ))}
        </ul>
      </Section>
    </div>
  );
}

function Recorded({ incident }: { incident: Incident }) {
  const opened = useFile(incidentAddress(incident.id));
  if (opened.kind === "opening") return <p class="empty nothing">Reading the file…</p>;
  if (opened.kind === "failed")
    return (
      <p class="empty nothing" role="alert">
        The file cannot be read: {opened.problem}
      </p>
    );
  return <Moment incident={incident} file={opened.file} />;
}
