import { BlockList, isIP } from "node:net";
import type { Account, LoginHost, LoginSource } from "../../../http/auth/accounts.ts";
import type { RemoteEnd } from "../../../http/request/remote-end.ts";
import { networkOf, type TrustedProxySettings } from "../config.ts";

/** Kind of the users that a proxy names. */
const KIND = "proxy";
/** A name that stands alone in its header: a proxy that adds to the header of its client, instead of replacing it, names two. */
const USER = /^[^\s,:;\p{C}\u{fffd}](?:[^,:;\p{C}\u{fffd}]{0,253}[^\s,:;\p{C}\u{fffd}])?$/u;

/** Users whom a reverse proxy has logged in, and names in a header of each request. */
export class ProxyLogins {
  readonly #settings: () => TrustedProxySettings | null;
  #known: { readonly settings: TrustedProxySettings; readonly addresses: BlockList } | null = null;
  #isReported = false;

  /** `settings`: those of the present configuration; null: no proxy is trusted. */
  constructor(settings: () => TrustedProxySettings | null) {
    this.#settings = settings;
  }

  source({ log, endAll }: Pick<LoginHost, "log" | "endAll">): LoginSource {
    let before = JSON.stringify(this.#settings());
    return {
      kind: KIND,
      isIndependent: true,
      find: (user) => this.#accountOf(user.slice(KIND.length + 1)),
      ofRequest: (headers, remote) => {
        const settings = this.#settings();
        const name = settings === null ? null : headers.get(settings.user_header.toLowerCase());
        if (settings === null || name === null) return null;
        if (!this.#isTrusted(settings, remote)) {
          if (!this.#isReported)
            log(
              "warning",
              `the header ${settings.user_header} from ${remote.ip} is ignored, because instance.trusted_proxy does not list this address; further ones are not logged`,
            );
          this.#isReported = true;
          return null;
        }
        return this.#accountOf(decode(name)) ?? "wrong";
      },
      refresh: () => {
        const now = JSON.stringify(this.#settings());
        if (now === before) return;
        before = now;
        endAll("the settings of the trusted proxy have changed");
      },
    };
  }

  #accountOf(name: string): Account | null {
    const settings = this.#settings();
    if (settings === null || !USER.test(name)) return null;
    return { user: `${KIND}:${name}`, secret: "", grants: [{ role: settings.role, on: null }] };
  }

  #isTrusted(settings: TrustedProxySettings, { ip }: RemoteEnd): boolean {
    if (this.#known?.settings !== settings) this.#known = { settings, addresses: blockListOf(settings.addresses) };
    const plain = ip.split("%")[0] ?? "";
    const family = isIP(plain);
    return family !== 0 && this.#known.addresses.check(plain, family === 4 ? "ipv4" : "ipv6");
  }
}

/** Headers are given as Latin-1; proxies send UTF-8. A text that is neither has characters that no name may have. */
const decode = (value: string): string => Buffer.from(value, "latin1").toString("utf8");

function blockListOf(addresses: readonly string[]): BlockList {
  const list = new BlockList();
  for (const { ip, bits, family } of addresses.map(networkOf)) list.addSubnet(ip, bits, family);
  return list;
}
