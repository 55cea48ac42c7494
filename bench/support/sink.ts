// Many subscribers in one process that do nothing but count bytes, so that a server is measured and not its clients.
import { connect, type Socket } from "node:net";
import { textFrame, upgradeRequest } from "./upgrade-request.ts";

export interface SinkQuestion {
  /** Opens this many more WebSockets, or closes down to it. */
  readonly connections?: number;
  /** Sent by each new one. */
  readonly hello?: string;
}

export interface SinkCount {
  /** Bytes after the upgrade, of all connections so far. */
  readonly bytes: number;
  readonly open: number;
}

const [, , target = "", authorization = ""] = process.argv;
const url = new URL(target);
const sockets: Socket[] = [];
const buffer = Buffer.allocUnsafe(256 * 1024);
let bytes = 0;

process.on("message", (question: SinkQuestion) => {
  adjust(question)
    .then(() => process.send?.({ bytes, open: sockets.length } satisfies SinkCount))
    .catch((error: unknown) => {
      throw error;
    });
});
process.on("disconnect", () => process.exit());
process.send?.({});

async function adjust({ connections = sockets.length, hello }: SinkQuestion): Promise<void> {
  while (sockets.length > connections) sockets.pop()?.destroy();
  while (sockets.length < connections) sockets.push(await open(hello));
}

/** A WebSocket without a library: the upgrade, one frame, then bytes. */
function open(hello: string | undefined): Promise<Socket> {
  return new Promise((resolve, reject) => {
    let head = "";
    let isUpgraded = false;
    const onread = {
      buffer,
      callback: (length: number) => {
        if (isUpgraded) bytes += length;
        else {
          head += buffer.toString("latin1", 0, length);
          isUpgraded = head.includes("\r\n\r\n");
          if (isUpgraded && head.startsWith("HTTP/1.1 101")) {
            if (hello !== undefined) socket.write(textFrame(hello));
            resolve(socket);
          } else if (isUpgraded) reject(new Error(head));
        }
        return true;
      },
    };
    const socket = connect({ port: Number(url.port), host: url.hostname, noDelay: true, onread });
    socket.on("error", reject);
    socket.write(upgradeRequest(url, authorization));
  });
}
