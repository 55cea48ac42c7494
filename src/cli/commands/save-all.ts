import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { messageOf } from "../../base/errors.ts";
import { visible } from "../../base/visible-text.ts";
import { type ConnectionFlags, findWay, type Way } from "../connection.ts";
import { CommandFailure, EXIT } from "../exit-codes.ts";

/** `mgr save-all [FILE]`: the archive of `/save-all`; `-` is stdout. The file is complete or not there. */
export async function saveAll(target: string | undefined, flags: ConnectionFlags): Promise<void> {
  const way = await findWay(flags);
  const response = await fetch(new URL("/save-all", way.url), { headers: { Authorization: authorization(way) } }).catch(
    (error: unknown) => {
      const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
      throw new CommandFailure(EXIT.failed, `${way.url}: ${messageOf(cause)}\nIs the manager running? Start it with: mgr up`);
    },
  );
  if (!response.ok || response.body === null)
    throw new CommandFailure(EXIT.failed, `${way.url}: ${response.status} ${(await response.text()).trim()}`);
  const archive = Readable.fromWeb(response.body);
  if (target === "-") return pipeline(archive, process.stdout);

  const path = target ?? fileName(response);
  const part = `${path}.part`;
  let bytes = 0;
  archive.on("data", (chunk: Uint8Array) => {
    bytes += chunk.byteLength;
  });
  try {
    await pipeline(archive, createWriteStream(part, { mode: 0o600 }));
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw new CommandFailure(EXIT.failed, `${path} was not written: ${messageOf(error)}`);
  }
  console.log(`${visible(path)}: ${bytes} bytes`);
}

function authorization({ token, user, password }: Way): string {
  return token === undefined ? `Basic ${Buffer.from(`${user}:${password ?? ""}`).toString("base64")}` : `Bearer ${token}`;
}

/** The name that the manager gives the archive, never a path. */
function fileName(response: Response): string {
  const [, name] = /filename="([^"/\\]+)"/.exec(response.headers.get("content-disposition") ?? "") ?? [];
  return name ?? "mgr-save-all.tar.bz2";
}
