import { randomBytes } from "node:crypto";
import { rename, writeFile } from "node:fs/promises";
import type { Role } from "../../../base/access/access.ts";
import { visible } from "../../../base/text/visible-text.ts";
import { withManager } from "../../../cli/manager/connection.ts";
import { type ConnectionFlags, webAddress } from "../../../cli/manager/connection-target.ts";
import { withPartialFile } from "../../../cli/manager/partial-file.ts";
import { printJson, table } from "../../../cli/output/table.ts";
import { accessLink } from "../access-link.ts";
import type { AccessToken } from "../wire.ts";

export interface CreateFlags extends ConnectionFlags {
  role: Role;
  on?: string[];
  /** Seconds. */
  expires?: number;
  save?: string;
  forUrl?: boolean;
  download?: boolean;
  json?: boolean;
}

/** `mgr token create [NAME]`. */
export async function tokenCreate(
  named: string | undefined,
  { role, on, expires, save, forUrl, download, json, ...flags }: CreateFlags,
): Promise<void> {
  const name = named ?? `${role}-${randomBytes(3).toString("hex")}`;
  const create = {
    ...(on === undefined ? {} : { on }),
    ...(expires === undefined ? {} : { lifetime: expires }),
    ...(forUrl && { for_url: true }),
    ...(download && { may_download: true }),
  };
  await withManager(flags, async (client) => {
    const { token, secret } = await client.request({ type: "create_access_token", name, role, ...create });
    if (save !== undefined) {
      await withPartialFile(save, async (part) => {
        await writeFile(part, `${secret}\n`, { mode: 0o600, flag: "wx" });
        await rename(part, save);
      }).catch(async (error: unknown) => {
        // Nothing is left of a token that no one can use.
        await client.request({ type: "revoke_access_token", name });
        throw error;
      });
      if (json) printJson({ ...token, file: save });
      else process.stdout.write(`${aboutText(token)}\n${visible(save)}\n`);
      return;
    }
    // A token for URLs does not log in.
    const link = forUrl ? null : accessLink(await webAddress(flags), secret);
    const rest =
      link === null ? "It is shown only now. Add token=… to the URL of a viewer." : `Link:  ${visible(link)}\nBoth are shown only now.`;
    if (json) printJson({ ...token, secret, ...(link === null ? {} : { link }) });
    else process.stdout.write(`${aboutText(token)}\nToken: ${secret}\n${rest}\n`);
  });
}

/** `mgr token list`. */
export async function tokenList({ json, ...flags }: ConnectionFlags & { json?: boolean }): Promise<void> {
  await withManager(flags, async (client) => {
    const { tokens } = await client.request({ type: "request_access_tokens" });
    if (json) printJson(tokens);
    else process.stdout.write(`${listText(tokens)}\n`);
  });
}

/** `mgr token revoke NAME…`. */
export async function tokenRevoke(names: readonly string[], flags: ConnectionFlags): Promise<void> {
  await withManager(flags, async (client) => {
    for (const name of names) await client.request({ type: "revoke_access_token", name });
  });
}

/** A table of tokens. Patterns and names of creators are escaped. */
export function listText(tokens: readonly AccessToken[], width?: number): string {
  if (tokens.length === 0) return "No access tokens.";
  return table(
    [
      { title: "NAME", text: ({ name }) => name },
      { title: "ROLE", text: ({ role }) => role },
      { title: "ON", text: ({ on }) => onText(on) },
      { title: "EXPIRES", text: ({ expires }) => timeText(expires) },
      { title: "CREATED BY", text: ({ created_by, valid }) => (valid ? created_by : `${created_by} (no admin any more: not valid)`) },
    ],
    [...tokens],
    width,
  );
}

/** A sentence about a new token. */
export const aboutText = ({ name, role, on, expires }: AccessToken): string =>
  visible(`token:${name} is ${role} on ${onText(on)} until ${timeText(expires)}`);

const onText = (on: AccessToken["on"]): string => (on === null ? "everything" : on.join(" "));

/** Minutes of a time, in UTC. */
const timeText = (time: string): string => `${time.slice(0, 16).replace("T", " ")} UTC`;
