import { messageOf } from "../../../../base/errors.ts";
import { visible } from "../../../../base/text/visible-text.ts";
import { masked, readSecret } from "../../../../files/secret.ts";
import type { EmailWay } from "../../config-ways.ts";
import type { Notification } from "../../notification.ts";
import { linesOf } from "../../notification-text.ts";
import type { Outcome } from "./outcome.ts";

const MAX_SHOWN_CHARS = 200;

interface EmailRequest {
  readonly way: EmailWay;
  readonly notification: Notification;
  readonly instance: string;
  /** Folder of relative paths. */
  readonly base: string;
  /** Ends the attempt. */
  readonly signal: AbortSignal;
}

/** Sends a notification as a mail of plain text. Never rejects. */
export async function sendEmail({ way, notification, instance, base, signal }: EmailRequest): Promise<Outcome> {
  const secrets: string[] = [];
  try {
    const { createTransport } = await import("nodemailer");
    const pass = way.password === null ? null : readSecret(way.password, base);
    if (pass !== null) secrets.push(pass);
    const transport = createTransport({
      host: way.host,
      port: way.port,
      secure: way.security === "tls",
      requireTLS: way.security === "starttls",
      ignoreTLS: way.security === "none",
      ...(way.user === null || pass === null ? {} : { auth: { user: way.user, pass } }),
      connectionTimeout: way.timeout,
      greetingTimeout: way.timeout,
      socketTimeout: way.timeout,
      // All parts of a mail come from here: none is read from a file or an address.
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    const close = () => transport.close();
    const attempt = AbortSignal.any([signal, AbortSignal.timeout(way.timeout)]);
    attempt.addEventListener("abort", close, { once: true });
    try {
      const sent = transport.sendMail({
        from: way.from,
        to: [...way.to],
        subject: visible(notification.title),
        text: bodyOf(notification),
        messageId: `<${notification.key}@${domainOf(way.from)}>`,
        date: new Date(`${notification.time}Z`),
        headers: { "Auto-Submitted": "auto-generated", "X-Mgr-Instance": instance },
      });
      const { response } = await untilEnd(sent, attempt);
      return { kind: "sent", text: shown(response, secrets) };
    } finally {
      attempt.removeEventListener("abort", close);
      close();
    }
  } catch (error) {
    return failure(error, shown(textOf(error, way.timeout), secrets));
  }
}

/** Settles as `promise` does, or when the attempt ends. */
function untilEnd<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    promise.then(resolve, reject);
  });
}

function textOf(error: unknown, timeout: number): string {
  return error instanceof Error && error.name === "TimeoutError" ? `no answer within ${timeout / 1_000} s` : messageOf(error);
}

/** Steps at which an answer of the class 5 is about the mail itself: there it refuses for good (RFC 5321, 4.2.1). */
const ABOUT_THE_MAIL: readonly unknown[] = ["EENVELOPE", "EMESSAGE"];

function failure(error: unknown, text: string): Outcome {
  const { code, responseCode } = error instanceof Error ? (error as Error & { code?: unknown; responseCode?: unknown }) : {};
  const isFinal = ABOUT_THE_MAIL.includes(code) && Number(responseCode) >= 500 && Number(responseCode) < 600;
  return { kind: isFinal ? "refused" : "again", text };
}

const shown = (text: string, secrets: readonly string[]) => masked(visible(text), secrets).slice(0, MAX_SHOWN_CHARS);
const domainOf = (address: string) => address.slice(address.lastIndexOf("@") + 1);

function bodyOf(notification: Notification): string {
  const lines = linesOf(notification).map((line) => `- ${visible(line)}`);
  return `${lines.join("\n")}\n\nRule: ${notification.rule}\nTime: ${notification.time} UTC\n`;
}
