import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { rename } from "node:fs/promises";
import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { messageOf } from "../../base/errors.ts";
import { certificateProblem } from "../../client/link/certificate-problem.ts";
import { authorizationOf } from "../../client/link/connect-options.ts";
import { refusalText, trusting } from "../../client/link/node-websocket.ts";
import { CommandFailure, EXIT } from "../command/exit-codes.ts";
import { trustHint } from "./connection.ts";
import { type ConnectionTarget, placeOf } from "./connection-target.ts";
import { withPartialFile } from "./partial-file.ts";

/** Returns the manager's HTTP response if its status is 200. A 404 with a text ends the command with exit code 3. */
export async function httpGet(way: ConnectionTarget, path: string): Promise<IncomingMessage> {
  const url = new URL(path, way.url.replace(/^ws/, "http"));
  const options =
    "socket" in way
      ? { createConnection: way.dial }
      : { headers: { Authorization: authorizationOf(way) }, ...(way.ca === undefined ? {} : { ca: trusting(way.ca) }) };
  const request = url.protocol === "https:" ? https.get(url, options) : http.get(url, options);
  const [response] = (await once(request, "response").catch((error: unknown) => {
    const problem = certificateProblem(error);
    if (problem !== null && error instanceof Error) throw new CommandFailure(EXIT.failed, `${placeOf(way)}: ${problem}${trustHint(error)}`);
    throw new CommandFailure(EXIT.failed, `${placeOf(way)}: ${messageOf(error)}${"absent" in way ? `\n${way.absent}` : ""}`);
  })) as [IncomingMessage];
  if (response.statusCode === 200) return response;
  const status = response.statusCode ?? 0;
  const said = (await text(response)).trim();
  if (status === 404 && said !== "") throw new CommandFailure(EXIT.notFound, said);
  // The program at the manager's own socket is the manager.
  if ("socket" in way && said !== "") throw new CommandFailure(EXIT.failed, said);
  throw new CommandFailure(EXIT.failed, `${placeOf(way)}: ${refusalText(status, said, response.headers.location)}`);
}

/** Saves a response. The file is complete or does not exist. Resolves with its size, bytes. */
export async function saveResponse(response: IncomingMessage, path: string): Promise<number> {
  let bytes = 0;
  response.on("data", (chunk: Uint8Array) => {
    bytes += chunk.byteLength;
  });
  try {
    await withPartialFile(path, async (part) => {
      await pipeline(response, createWriteStream(part, { mode: 0o600 }));
      await rename(part, path);
    });
  } catch (error) {
    throw new CommandFailure(EXIT.failed, `cannot write ${path}: ${messageOf(error)}`);
  }
  return bytes;
}

/** The file name that the manager gives, never a path. */
export function fileNameOf({ headers }: Pick<IncomingMessage, "headers">, otherwise: string): string {
  const about = headers["content-disposition"] ?? "";
  const [, encoded] = /filename\*=UTF-8''([^;\s]+)/.exec(about) ?? [];
  const [, ascii] = /filename="([^"]+)"/.exec(about) ?? [];
  const name = encoded === undefined ? ascii : decoded(encoded);
  return name === undefined || /[\\/\p{C}]|^\.*$/u.test(name) ? otherwise : name;
}

/** Decodes percent-encoded text; undefined: it is not. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
