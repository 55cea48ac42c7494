import type { HubDial } from "../broker/leaf/hub-connection.ts";
import { placeOf } from "../carriers/bus-url.ts";
import { type ConnectBusOptions, dialer } from "./connect-bus.ts";

/** Dials a hub as `connectBus` dials a server. Credentials in the address come before the token. */
export function hubDial({ server, token }: Pick<ConnectBusOptions, "server" | "token">): HubDial {
  const { dial, current } = dialer(server, token === undefined ? {} : { token });
  return {
    isLocal: server.kind !== "url",
    place: () => {
      const url = current();
      return url ? placeOf(url) : "of this machine";
    },
    stream: dial,
    credentials() {
      const url = current();
      if (url && url.username !== "") {
        const user = decodeURIComponent(url.username);
        return url.password === "" ? { auth_token: user } : { user, pass: decodeURIComponent(url.password) };
      }
      if (token === undefined) return {};
      return { auth_token: typeof token === "function" ? token() : token };
    },
  };
}
