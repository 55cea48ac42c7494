import { MgrError } from "../../../src/base/errors.ts";
import { notificationsExtension } from "../../../src/features/notifications/manager/index.ts";
import type { Notifications, Overview, TestResult } from "../../../src/features/notifications/manager/notifications.ts";
import type { Silence } from "../../../src/features/notifications/notification.ts";

/** Notifications without rules, whose silences are kept. */
export class FakeNotifications implements Notifications {
  readonly extension = notificationsExtension(this);
  silences: Silence[] = [];

  overview(): Overview {
    return { ways: [], rules: [], silences: this.silences, deliveries: [] };
  }

  async silence({ pattern, reason, by }: Parameters<Notifications["silence"]>[0]): Promise<Silence> {
    const silence = { id: "1f0c9a2b", pattern, reason, by, created: "2026-11-21T08:14:02.000", until: "2026-11-21T10:14:02.000" };
    this.silences.push(silence);
    return silence;
  }

  async endSilence(id: string): Promise<void> {
    if (id === "unknown") throw new MgrError("not_found", "there is no silence 'unknown'");
    this.silences = this.silences.filter((silence) => silence.id !== id);
  }

  async test(way: string): Promise<TestResult> {
    if (way === "unknown") throw new MgrError("not_found", "there is no way 'unknown'");
    return { sent: true, result: "200: ok" };
  }
}
