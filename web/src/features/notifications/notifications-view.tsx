import { History } from "./history.tsx";
import { useOverview } from "./overview-poll.ts";
import { Rules, Ways } from "./rules.tsx";
import { Silences } from "./silences.tsx";

/** Rules with what they match, silences, ways, and what was sent. */
export function NotificationsView() {
  const { overview, problem } = useOverview();
  return (
    <section class="notify" aria-label="Notifications">
      <header class="bar">
        <h1>Notifications</h1>
      </header>
      {problem !== null && (
        <p class="why bad" role="alert">
          {problem}
        </p>
      )}
      {overview === null ? (
        <p class="empty nothing">{problem === null ? "Loading …" : ""}</p>
      ) : (
        <div class="notify-body">
          <Rules rules={overview.rules} />
          <Silences silences={overview.silences} />
          <Ways ways={overview.ways} />
          <History deliveries={overview.deliveries} />
        </div>
      )}
    </section>
  );
}
