import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { messageOf } from "../../../../base/errors.ts";
import { portOwner } from "../../../../bus/carriers/port-owner.ts";
import type { InstanceSettings } from "../../../../config/definition.ts";
import { Certificate } from "../../../../http/server/certificate.ts";
import { error, type Finding, ok, warning } from "../finding.ts";

/** A certificate is renewed in time if this is left, days. */
const SOON_DAYS = 14;
const MS_PER_DAY = 86_400_000;

/** Whether a manager could open its port, or has. */
export async function portFinding({ manager: { host, port } }: Pick<InstanceSettings, "manager">, isRunning: boolean): Promise<Finding> {
  const check = "port";
  if (isRunning) return ok(check, port === 0 ? "the manager has a free one" : `${port}, which the manager has`);
  const place = port === 0 ? "any free one" : `${port}`;
  const server = createServer();
  try {
    server.listen({ port, ...(host === "" ? {} : { host }) });
    await once(server, "listening");
    return ok(check, `${place} can be opened`);
  } catch (cause) {
    const owner = portOwner(port);
    if (owner !== null)
      return error(check, `${place} is used by ${owner}`, "end that program, or choose another port with instance.manager");
    return error(check, `${place} cannot be opened: ${messageOf(cause)}`, "choose another address or port with instance.manager");
  } finally {
    server.close();
  }
}

/** The certificate of HTTPS; nothing: none is configured. */
export function certificateFindings(
  instance: Pick<InstanceSettings, "webui_https_cert_file" | "webui_https_key_file">,
  now = Date.now(),
): Finding[] {
  const { webui_https_cert_file: certFile, webui_https_key_file: keyFile } = instance;
  if (certFile === null) return [];
  const check = "certificate";
  const renew = "renew it; a running manager uses the new file at once";
  const notes: string[] = [];
  try {
    // Refuses files that do not belong together, as the manager does.
    new Certificate({ certFile, keyFile }, (_level, message) => notes.push(message));
    const open = notes.map((note) => warning(check, note, "the key is then secret"));
    const certificate = new X509Certificate(readFileSync(certFile));
    const [from, until] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)];
    const days = Math.floor((until - now) / MS_PER_DAY);
    if (from > now)
      return [
        error(check, `${certFile} is not valid before ${certificate.validFrom}`, "check the clock of this machine, and the certificate"),
      ];
    if (until <= now) return [error(check, `${certFile} has expired on ${certificate.validTo}`, renew)];
    const found = `${certFile} expires in ${days} ${days === 1 ? "day" : "days"}`;
    return [days < SOON_DAYS ? warning(check, found, renew) : ok(check, found), ...open];
  } catch (cause) {
    return [error(check, messageOf(cause), "correct webui_https_cert_file and webui_https_key_file")];
  }
}
