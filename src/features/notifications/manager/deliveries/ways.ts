import type { DomainEvents } from "../../../../actors/domain-events.ts";
import type { Config } from "../../../../config/definition.ts";
import { WAY_KINDS, type WayDefinition } from "../../config-ways.ts";
import type { Notification } from "../../notification.ts";
import { sendCommand } from "./command.ts";
import { sendEmail } from "./email.ts";
import type { Outcome } from "./outcome.ts";
import { sendWebhook } from "./webhook.ts";

/** Sends a notification on a way; never rejects. */
export type SendOn = (way: string, notification: Notification, signal: AbortSignal) => Promise<Outcome>;

/** Sends on the ways of the present configuration. */
export function waySender({ config, events }: { config: () => Config; events: Pick<DomainEvents, "publish"> }): SendOn {
  return async (name, notification, signal) => {
    const { base_dir: base, instance, notifications } = config();
    const way = notifications.ways.get(name);
    if (way === undefined) return { kind: "refused", text: "the way is not in the configuration any more" };
    const request = { notification, instance: instance.name, base, signal };
    if (way.webhook !== undefined) return sendWebhook({ ...request, way: way.webhook });
    if (way.email !== undefined) return sendEmail({ ...request, way: way.email });
    if (way.command !== undefined) return sendCommand({ ...request, way: way.command });
    const kind = way.bell === undefined ? "browser" : "bell";
    events.publish({ type: "notification", way: kind, notification });
    return { kind: "sent", text: kind === "bell" ? "to every mgr top" : "to every open page" };
  };
}

export function kindOf(way: WayDefinition): (typeof WAY_KINDS)[number] {
  return WAY_KINDS.find((kind) => way[kind] !== undefined) ?? "browser";
}

/** The target of a way for people, without secrets. */
export function targetOf({ webhook, email, command }: WayDefinition): string {
  if (webhook !== undefined)
    return `${webhook.format}: ${typeof webhook.url === "string" ? new URL(webhook.url).origin : placeOf(webhook.url)}`;
  if (email !== undefined) return `${email.to.join(", ")} by ${email.host}:${email.port}`;
  // Arguments may hold secrets.
  if (command !== undefined) return command.run[0] ?? "";
  return "";
}

const placeOf = ({ file, env }: { file: string | null; env: string | null }) =>
  file === null ? `address in $${env}` : `address in ${file}`;
