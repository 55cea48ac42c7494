import type { Server } from "node:net";
import { MgrError, messageOf } from "../base/errors.ts";
import { portOwner } from "./port-owner.ts";

export interface ListenAddress {
  /** "" is every interface; `localhost` is 127.0.0.1. */
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
}

/** Rejects with MgrError `conflict` when the port cannot be had; the sentence names it and, if it can be seen, its owner. */
export async function listen(server: Server, address: ListenAddress): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    const fail = (error: Error) => reject(explain(address, error));
    server.once("error", fail);
    server.listen({ ...(address.host === "" ? {} : { host: bindHost(address.host) }), port: address.port }, () => {
      server.off("error", fail);
      resolve();
    });
  });
  const bound = server.address();
  return bound !== null && typeof bound === "object" ? bound.port : address.port;
}

/** The base address for a person or program on this machine. */
export function urlOf(scheme: "http" | "https", host: string, port: number): string {
  const isEverywhere = host === "" || host === "0.0.0.0" || host === "::";
  return `${scheme}://${isEverywhere ? "localhost" : host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Not left to the resolver: where it says ::1 first, every program that takes 127.0.0.1 for localhost would fail. */
function bindHost(host: string): string {
  return host.toLowerCase() === "localhost" ? "127.0.0.1" : host;
}

function explain({ host, port }: ListenAddress, error: NodeJS.ErrnoException): MgrError {
  const place = host === "" ? `port ${port}` : `port ${port} of ${host}`;
  const details = { port };
  switch (error.code) {
    case "EADDRINUSE": {
      const owner = portOwner(port);
      const by = owner === null ? "another program" : owner;
      return new MgrError("conflict", `${place} is taken by ${by}; end it, or set another port in instance.manager`, {
        cause: error,
        details,
      });
    }
    case "EACCES":
      return new MgrError(
        "conflict",
        `${place} may not be used by this user; ports below 1024 are for root: set a higher one in instance.manager`,
        {
          cause: error,
          details,
        },
      );
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return new MgrError(
        "conflict",
        `'${host}' is no address of this machine; set instance.manager to one, or to ':${port}' for every interface`,
        {
          cause: error,
          details,
        },
      );
    default:
      return new MgrError("conflict", `cannot listen on ${place}: ${messageOf(error)}`, { cause: error, details });
  }
}
