import { perSecond } from "../increase.ts";
import type { LinkSums, Rate } from "./link-sum.ts";
import { type Counted, grown } from "./reading.ts";
import type { Interval, Shortfall } from "./topic-links.ts";

type Kind = "crossing" | "arrived" | "answered" | "answers";
interface Part {
  readonly before: Counted;
  readonly after: Counted;
  readonly milliseconds: number;
}

/**
 * Services: requests that left the broker of their sender (including the manager's own), and requests that arrived at instances elsewhere; answers
 * likewise. With instances on several hosts, the receiver of a request is unknown: requests are spread by the number of instances.
 */
export function addServices({ spans, after }: Interval, sums: LinkSums, manager: string): Shortfall[] {
  const shortfalls: Shortfall[] = [];
  for (const [service, { subjects, instances }] of services(after.services)) {
    for (const subject of subjects) {
      const senders = [...spans].flatMap(([broker, span]) => {
        const msgs = grown(span.sent, "crossing", subject, "msgs");
        return msgs === 0 ? [] : [{ host: broker ?? manager, msgs, span }];
      });
      for (const sender of senders) {
        const remote = [...instances].filter(([host]) => host !== sender.host);
        const weight = remote.reduce((sum, [, count]) => sum + count, 0);
        for (const [host, count] of remote) {
          const span = spans.get(host);
          if (span === undefined) continue;
          // The part of the arrived requests that this sender sent.
          const others = senders.filter((one) => one.host !== host).reduce((sum, { msgs }) => sum + msgs, 0);
          const [toHere, fromHere] = [count / weight, sender.msgs / others];
          const child = { kind: "service", name: service } as const;
          const to = { from: sender.host, to: host };
          const back = { from: host, to: sender.host };
          sums.add(to, child, rate(sender.span.sent, "crossing", subject, toHere), rate(span.arrived, "arrived", subject, fromHere));
          sums.add(back, child, rate(span.sent, "answered", subject, fromHere), rate(sender.span.arrived, "answers", subject, toHere));
          if (remote.length > 1 || senders.length > 1) continue;
          const arrived = grown(span.arrived, "arrived", subject, "msgs");
          shortfalls.push({ ...to, ...child, unit: "requests", sent: sender.msgs, arrived });
        }
      }
    }
  }
  return shortfalls;
}

function rate(part: Part, kind: Kind, subject: string, share: number): Rate {
  const of = (field: "msgs" | "bytes") => perSecond(grown(part, kind, subject, field) * share, part.milliseconds);
  return { packets: of("msgs"), bytes: of("bytes") };
}

/** Subjects of each service, and the number of its instances by host. */
function services(all: Interval["after"]["services"]) {
  const found = new Map<string, { subjects: Set<string>; instances: Map<string, number> }>();
  for (const { service, subjects, broker } of all) {
    const known = found.get(service) ?? { subjects: new Set(), instances: new Map() };
    found.set(service, known);
    for (const subject of subjects) known.subjects.add(subject);
    known.instances.set(broker, (known.instances.get(broker) ?? 0) + 1);
  }
  return found;
}
