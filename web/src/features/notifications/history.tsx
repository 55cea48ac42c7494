import type { Delivery } from "../../../../src/features/notifications/notification.ts";
import { linesOf } from "../../../../src/features/notifications/notification-text.ts";
import { Section } from "../../ui/detail-section.tsx";
import { clockTime } from "../../ui/time.ts";

/** The deliveries that were sent, wait, or were given up; the newest first. */
export function History({ deliveries }: { deliveries: readonly Delivery[] }) {
  return (
    <Section title="History">
      {deliveries.length === 0 && <p class="soft">Nothing was sent yet.</p>}
      <ul class="notify-list" aria-label="History">
        {deliveries.map((delivery) => (
          <Entry key={`${delivery.notification.key} ${delivery.way}`} delivery={delivery} />
        ))}
      </ul>
    </Section>
  );
}

function Entry({ delivery }: { delivery: Delivery }) {
  const { notification, way, result } = delivery;
  return (
    <li>
      <details class="notify-main">
        <summary>
          <span class="soft">{clockTime(notification.time)}</span> {notification.title}{" "}
          <span class="soft">
            {notification.rule} → {way}
          </span>
        </summary>
        {linesOf(notification).map((line, index) => (
          <p key={index} class="notify-text">
            {line}
          </p>
        ))}
        {result !== null && <p class="notify-text soft">Answer: {result}</p>}
      </details>
      <span class={`notify-state ${delivery.state}`}>{stateText(delivery)}</span>
    </li>
  );
}

function stateText({ state, attempts, next_attempt }: Delivery): string {
  if (state === "sent") return attempts === 1 ? "sent" : `sent at attempt ${attempts}`;
  if (state === "failed") return "given up";
  return next_attempt === null ? "waiting" : `again at ${clockTime(next_attempt)}`;
}
