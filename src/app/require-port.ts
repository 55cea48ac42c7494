import { lookup } from "node:dns/promises";
import { bindHost, cannotBind, type TcpAddress } from "../bus/carriers/bind.ts";
import { bindError } from "../daemon/native/try-bind.ts";

/** Rejects as `bind` would if the port is not available, without opening it. If the port is taken afterwards, `bind` itself fails. */
export async function requirePort(address: TcpAddress, setting: string): Promise<void> {
  const { host, port } = address;
  if (port === 0) return;
  const ip =
    host === ""
      ? "0.0.0.0"
      : await lookup(bindHost(host)).then(
          (found) => found.address,
          (cause: NodeJS.ErrnoException) => {
            throw cannotBind(address, setting, cause);
          },
        );
  const code = bindError(ip, port);
  if (code !== null) throw cannotBind(address, setting, Object.assign(new Error(`bind ${code}`), { code }));
}
