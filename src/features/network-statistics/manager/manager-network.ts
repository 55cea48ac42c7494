import type { NamedHosts } from "../../../app/hosts/named-hosts.ts";
import { MgrError } from "../../../base/errors.ts";
import { pause } from "../../../base/timing/clock.ts";
import { topicOfSubject } from "../../../base/topics/topic-subject.ts";
import type { NetworkStats, NetworkTopology, TcpConnection } from "../wire.ts";
import { HostFacts } from "./host-facts.ts";
import { readTcp } from "./host-readings.ts";
import { LastKnown } from "./last-known.ts";
import { oldLinks } from "./link-sum.ts";
import { measure } from "./measure.ts";
import type { Network, NetworkSampling, NetworkTotals } from "./network.ts";
import { problemsOf } from "./problems.ts";
import type { Sample } from "./sample.ts";
import { Sampler, type SamplerOptions } from "./sampler.ts";
import { type ConfiguredNetworks, networkNames, topologyOf } from "./topology.ts";

/** Length of a measurement if there is no earlier sample to compare with, seconds. */
const FALLBACK_SECONDS = 2;

interface ManagerNetworkOptions extends SamplerOptions {
  /** Canonical name of the manager's host. */
  readonly host: string;
  readonly networks: () => ConfiguredNetworks;
  readonly named: Pick<NamedHosts, "session">;
}

/** Traffic between hosts, and the networks that they are in. Samples are taken on request only. */
export class ManagerNetwork implements Network {
  readonly #options: ManagerNetworkOptions;
  readonly #sampler: Sampler;
  readonly #facts = new HostFacts();
  readonly #lastKnown = new LastKnown();
  readonly #end = new AbortController();
  /** Network names, which cache addresses; kept while the configuration stays the same. */
  #names: { configured: ConfiguredNetworks; networkOf: (cidr: string) => string | null } | null = null;

  constructor(options: ManagerNetworkOptions) {
    this.#options = options;
    this.#sampler = new Sampler(options);
  }

  async stats({ seconds, mode }: NetworkSampling): Promise<NetworkStats> {
    const sample = await this.#measure();
    const previous = mode === "previous" ? this.#sampler.previousOf(sample) : null;
    if (previous !== null) return this.#compare(previous, sample);
    await pause(this.#options.clock, (mode === "previous" ? FALLBACK_SECONDS : seconds) * 1_000, this.#end.signal);
    return this.#compare(sample, await this.#measure());
  }

  async topology(): Promise<NetworkTopology> {
    await this.#measure();
    return topologyOf(this.#facts.all(), this.#options.networks());
  }

  async tcpConnections(host: string): Promise<{ host: string; connections: TcpConnection[] }> {
    const { hosts, named } = this.#options;
    const session = named.session(host);
    const { host: name } = session.link;
    const rows = await readTcp(session);
    // The sample updates the addresses of the hosts.
    await this.#measure();
    const managed = new Set(hosts.keys());
    const connections = rows.map((row) => {
      const ip = row.peer.replace(/:\d+$/, "").replace(/^\[(.*)\]$/, "$1");
      const peer = /^(127\.|::1$)/.test(ip) ? name : this.#hostOf(ip);
      return { ...row, peer_host: managed.has(peer) ? peer : null };
    });
    return { host: name, connections };
  }

  async totals(): Promise<NetworkTotals> {
    const { hosts } = await this.#measure();
    const interfaces = [...hosts].flatMap(([host, { first }]) =>
      [...first.all("interface")].map(
        ({ kind: _kind, name, index: _index, up: _up, speed_bits_s: _speed, addresses: _own, ...counters }) => ({
          host,
          interface: name,
          ...counters,
        }),
      ),
    );
    const topics = [...hosts].flatMap(([host, { first }]) =>
      (["published", "arrived"] as const).flatMap((end) =>
        [...first.all(end)].flatMap(({ subject, msgs, bytes }) => {
          const topic = topicOfSubject(subject);
          return topic === null ? [] : [{ host, topic, end, messages: msgs, bytes }];
        }),
      ),
    );
    const brokers = [...hosts].flatMap(([host, { first }]) =>
      [...first.all("broker")].map(({ kind: _kind, ...row }) => ({ host, ...row })),
    );
    return { interfaces, brokers, topics };
  }

  close(): void {
    this.#end.abort(new MgrError("shutting_down", "the manager is shutting down"));
  }

  async #measure(): Promise<Sample> {
    const sample = await this.#sampler.sample();
    this.#facts.learn(sample, (host) => this.#options.hosts.has(host));
    return sample;
  }

  #compare(before: Sample, after: Sample): NetworkStats {
    const { host: manager, networks, hosts } = this.#options;
    const configured = networks();
    if (this.#names?.configured !== configured) this.#names = { configured, networkOf: networkNames(configured) };
    const { networkOf } = this.#names;
    const measured = measure(before, after, { manager, hostOf: (address) => this.#hostOf(address), networkOf });
    const isManaged = (host: string) => hosts.has(host);
    const isMeasured = (host: string) => measured.hosts.has(host);
    const all = { ...measured.stats, ...this.#lastKnown.with(measured.stats, after.at, isManaged, isMeasured) };
    const unreachable = new Map<string, number | null>();
    for (const host of hosts.keys())
      if (!after.hosts.has(host) && !isMeasured(host)) unreachable.set(host, this.#facts.silence(host, after.at));
    const problems = problemsOf({
      stats: all,
      shortfalls: measured.shortfalls,
      unreachable,
      wasUp: (host, name) => this.#facts.wasUp(host, name),
    });
    return { sample_seconds: Math.round(after.at - before.at) / 1_000, ...all, problems, ...oldLinks(all.links) };
  }

  #hostOf(ip: string): string {
    return this.#facts.hostOf(ip) ?? this.#options.tables.hostOfAddress(ip);
  }
}
