import type { Reading } from "./reading.ts";
import type { Sample } from "./sample.ts";
import type { HostInterfaces } from "./topology.ts";

/** Facts of hosts that are kept while a host does not answer: its interfaces and addresses, and which of them were up. */
export class HostFacts {
  readonly #hosts = new Map<string, HostInterfaces>();
  /** Time of the last sample that the host took part in, by host; monotonic, milliseconds. */
  readonly #heard = new Map<string, number>();
  /** Names of interfaces that were up, by host. */
  readonly #up = new Map<string, Set<string>>();
  #byAddress = new Map<string, string>();

  /** Updates the facts from a sample, and forgets hosts that are no longer managed. */
  learn({ at, hosts }: Pick<Sample, "at" | "hosts">, isManaged: (host: string) => boolean): void {
    let isChanged = false;
    for (const [host, { first }] of hosts) {
      this.#heard.set(host, at);
      const interfaces = [...first.all("interface")];
      isChanged ||= !hasSameAddresses(interfaces, this.#hosts.get(host)?.interfaces);
      const up = this.#up.get(host) ?? new Set();
      const names = new Set(interfaces.map(({ name }) => name));
      for (const name of up) if (!names.has(name)) up.delete(name);
      for (const port of interfaces) if (port.up) up.add(port.name);
      this.#up.set(host, up);
      this.#hosts.set(host, { host, forwards: isForwarding(first), interfaces });
    }
    for (const host of this.#hosts.keys()) {
      if (isManaged(host)) continue;
      this.#hosts.delete(host);
      this.#up.delete(host);
      this.#heard.delete(host);
      isChanged = true;
    }
    if (!isChanged) return;
    this.#byAddress = new Map(
      [...this.#hosts.values()].flatMap(({ host, interfaces }) =>
        interfaces.flatMap(({ addresses }) => addresses.map((cidr): [string, string] => [cidr.replace(/\/.*$/, ""), host])),
      ),
    );
  }

  all(): HostInterfaces[] {
    return [...this.#hosts.values()];
  }

  /** Seconds since the host last answered; null: it never did. `at`: monotonic, milliseconds. */
  silence(host: string, at: number): number | null {
    const heard = this.#heard.get(host);
    return heard === undefined ? null : (at - heard) / 1_000;
  }

  wasUp(host: string, name: string): boolean {
    return this.#up.get(host)?.has(name) ?? false;
  }

  /** The host that has the address; undefined for loopback and unknown addresses. */
  hostOf(ip: string): string | undefined {
    return /^(127\.|::1$)/.test(ip) ? undefined : this.#byAddress.get(ip);
  }
}

function hasSameAddresses(one: HostInterfaces["interfaces"], other: HostInterfaces["interfaces"] = []): boolean {
  return String(one.map(({ addresses }) => addresses)) === String(other.map(({ addresses }) => addresses));
}

function isForwarding(counted: Reading["first"]): boolean {
  return counted.find("forwarding", "")?.on ?? false;
}
