import { z } from "zod";
import { amount } from "../frames/field-kinds.ts";
import { clientFrames, managerFrames, result } from "../frames/frame-table.ts";

const DEFAULT_NETWORK_SAMPLE_SECONDS = 2;
/** Longest measurement, seconds. */
const MAX_SAMPLE_SECONDS = 60;

const LINK_CHILD_KINDS = ["topic", "service", "tcp_forward", "daemon", "client", "mgr_remote", "web"] as const;

const theoretical = {
  bytes_s: z.number().describe("Theoretical: computed at the sender."),
  packets_s: z.number().describe("Theoretical: computed at the sender."),
};
const traffic = {
  ...theoretical,
  measured_bytes_s: z.number().describe("Measured at the receiver."),
  measured_packets_s: z.number().describe("Measured at the receiver."),
};
const child = { kind: z.enum(LINK_CHILD_KINDS), name: z.string() };
const ends = { from_host: z.string(), to_host: z.string() };

const link = z.object({ ...ends, ...traffic, children: z.array(z.object({ ...child, ...traffic })) });
const oldLink = z.object({ ...ends, ...theoretical, children: z.array(z.object({ ...child, ...theoretical })) });

const networkInterface = z.object({
  host: z.string(),
  interface: z.string(),
  network: z.string().nullable(),
  rx_bytes_s: z.number(),
  tx_bytes_s: z.number(),
  rx_packets_s: z.number(),
  tx_packets_s: z.number(),
  rx_errors_s: z.number(),
  tx_errors_s: z.number(),
  speed_bits_s: z.number().nullable(),
  up: z.boolean(),
});

const networkStats = z
  .object({
    sample_seconds: z.number().describe("The time that really passed."),
    links: z.array(link).describe("Between logical ends, without the hops in between."),
    interfaces: z.array(networkInterface).describe("Measured traffic of each interface: the physical hops."),
    problems: z.array(z.object({ severity: z.enum(["info", "warning", "error"]), message: z.string() })),
    links_theoretical: z.array(oldLink).describe("Superseded by `links`."),
    links_measured: z.array(oldLink).describe("Superseded by `links`."),
  })
  .meta({ id: "NetworkStats" });
export type NetworkStats = z.infer<typeof networkStats>;

const networkTopology = z
  .object({
    networks: z.array(
      z.object({
        name: z.string(),
        netmasks: z.array(z.string()).describe("CIDR."),
        interfaces: z.array(z.object({ host: z.string(), interface: z.string(), ip: z.string() })),
      }),
    ),
    gateways: z.array(z.object({ host: z.string(), networks: z.array(z.string()) })),
  })
  .meta({ id: "NetworkTopology" });
export type NetworkTopology = z.infer<typeof networkTopology>;

export const networkCommands = clientFrames("Network", {
  request_network_stats: {
    fields: {
      sample_seconds: amount(MAX_SAMPLE_SECONDS)
        .describe(`How long to measure; default ${DEFAULT_NETWORK_SAMPLE_SECONDS}, at most ${MAX_SAMPLE_SECONDS}.`)
        .exactOptional(),
      sample_mode: z
        .enum(["interval", "previous"], { error: "must be one of interval, previous" })
        .describe("`previous` compares with the last sample without waiting; default `interval`.")
        .exactOptional(),
    },
    answer: "network_stats",
    scope: "global",
    meaning: "Traffic between hosts, sent when measured.",
  },
  request_network_topology: {
    fields: {},
    answer: "network_topology",
    scope: "global",
    meaning: "Networks, their interfaces and gateways.",
  },
});

export const networkFrames = managerFrames("Network", {
  network_stats: result({}, { stats: networkStats }, "Traffic between hosts."),
  network_topology: result({}, { topology: networkTopology }, "Networks, their interfaces and gateways."),
});
