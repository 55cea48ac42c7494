import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { messageOf } from "../../base/errors.ts";
import { visible } from "../../base/visible-text.ts";
import { certificateProblem } from "../../client/link/certificate-problem.ts";
import { basicCredentials } from "../../client/link/connect-options.ts";
import { refusalText, trusting } from "../../client/node.ts";
import { CommandFailure, EXIT } from "../exit-codes.ts";
import { trustHint } from "../manager/connection.ts";
import { dialLocal } from "../manager/local-instance.ts";
import { type ConnectionFlags, findWay, placeOf, type Way } from "../manager/way.ts";

/** `mgr save-all [FILE]`: the archive of `/save-all`; `-` is stdout. The file is complete or not there. */
export async function saveAll(target: string | undefined, flags: ConnectionFlags): Promise<void> {
  const way = await findWay(flags);
  const response = await get(way, "/save-all");
  if (target === "-") return pipeline(response, process.stdout);

  const path = target ?? fileName(response);
  const part = `${path}.part`;
  let bytes = 0;
  response.on("data", (chunk: Uint8Array) => {
    bytes += chunk.byteLength;
  });
  try {
    await pipeline(response, createWriteStream(part, { mode: 0o600 }));
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw new CommandFailure(EXIT.failed, `cannot write ${path}: ${messageOf(error)}`);
  }
  console.log(`${visible(path)}: ${bytes} bytes`);
}

/** The answer, if it is a good one. */
async function get(way: Way, path: string): Promise<IncomingMessage> {
  const url = new URL(path, way.url.replace(/^ws/, "http"));
  const options =
    "socket" in way
      ? { createConnection: () => dialLocal(way.socket) }
      : { headers: { Authorization: basicCredentials(way) }, ...(way.ca === undefined ? {} : { ca: trusting(way.ca) }) };
  const request = url.protocol === "https:" ? https.get(url, options) : http.get(url, options);
  const [response] = (await once(request, "response").catch((error: unknown) => {
    const problem = certificateProblem(error);
    if (problem !== null && error instanceof Error) throw new CommandFailure(EXIT.failed, `${placeOf(way)}: ${problem}${trustHint(error)}`);
    throw new CommandFailure(EXIT.failed, `${placeOf(way)}: ${messageOf(error)}${"absent" in way ? `\n${way.absent}` : ""}`);
  })) as [IncomingMessage];
  if (response.statusCode === 200) return response;
  const status = response.statusCode ?? 0;
  throw new CommandFailure(
    EXIT.failed,
    `${placeOf(way)}: ${refusalText(status, (await text(response)).trim(), response.headers.location)}`,
  );
}

/** The name that the manager gives the archive, never a path. */
function fileName({ headers }: IncomingMessage): string {
  const [, name] = /filename="([^"/\\]+)"/.exec(headers["content-disposition"] ?? "") ?? [];
  return name ?? "mgr-save-all.tar.bz2";
}
