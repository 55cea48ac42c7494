import type { Socket } from "node:net";
import { LOCAL_OPERATOR } from "../../base/access/principal.ts";
import { ThrottledWarning } from "../../base/throttled-warning.ts";
import { listenUnix, type SocketHome } from "../../bus/carriers/unix-listener.ts";
import type { HttpLog } from "../log/http-log.ts";

export interface LocalSocketOptions {
  /** Path of the socket, in a folder that only this user may enter, or also `group`. */
  readonly path: string;
  readonly home?: SocketHome;
  /** Group that may connect beside the owner. */
  readonly group?: number;
  /** Identifies the user at the other end. */
  readonly identify: (socket: Socket) => LocalUser;
}

/** A user of this system, who is an operator only or may do everything, or the reason why the connection is not served. */
export type LocalUser = { readonly user: string; readonly isOperator?: true } | { readonly refused: string };

/**
 * A socket for programs of the same user on this machine, and of root; or for members of a group. The kernel identifies them, so they need neither a web user nor an
 * auth file.
 */
export class LocalSocket {
  readonly #users = new Map<Socket, string>();
  #stop: () => Promise<void> = async () => {};

  /** Passes connections to `serve`. Rejects as `listenUnix` does. */
  async listen({ path, identify, home, group }: LocalSocketOptions, serve: (socket: Socket) => void, log: HttpLog): Promise<void> {
    const warning = new ThrottledWarning(log);
    const { close } = await listenUnix(
      path,
      {
        accept: (socket) => {
          socket.on("error", () => socket.destroy());
          const peer = identify(socket);
          if ("refused" in peer) {
            socket.destroy();
            warning.warn(`a connection to ${path} was refused: ${peer.refused}`);
            return;
          }
          // Names of web users contain no colon.
          this.#users.set(socket, `${peer.isOperator ? LOCAL_OPERATOR : "local:"}${peer.user}`);
          socket.once("close", () => this.#users.delete(socket));
          serve(socket);
        },
        failed: (error) => warning.warn(`a connection to ${path} could not be taken: ${error.message}`),
      },
      home,
      group,
    );
    this.#stop = close;
  }

  /** The user at the other end; null: the connection is not from this socket. */
  userOf(socket: Socket): string | null {
    return this.#users.get(socket) ?? null;
  }

  /** Accepts no more connections and closes those that have sent nothing; resolves when the others have ended. */
  close(): Promise<void> {
    for (const socket of this.#users.keys()) if (socket.bytesRead === 0) socket.destroy();
    return this.#stop();
  }

  destroyAll(): void {
    for (const socket of this.#users.keys()) socket.destroy();
  }
}
