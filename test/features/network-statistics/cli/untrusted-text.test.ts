import { expect, test } from "vitest";
import { tcpText, topologyText, trafficText } from "../../../../src/features/network-statistics/cli/tables.ts";
import { describeUntrustedText, type Places, writesOf } from "../../../support/suites/untrusted-text-suite.ts";
import { NETWORK_STATS, TCP_CONNECTIONS } from "../network-example.ts";

/** Every place that prints untrusted text, and what it prints. */
const PLACES: Places = {
  "mgr net": (text) =>
    trafficText({
      ...NETWORK_STATS,
      links: NETWORK_STATS.links.map((link) => ({
        ...link,
        from_host: text,
        to_host: text,
        children: link.children.map((child) => ({ ...child, name: text })),
      })),
      interfaces: NETWORK_STATS.interfaces.map((port) => ({ ...port, host: text, interface: text, network: text })),
      problems: NETWORK_STATS.problems.map((problem) => ({ ...problem, message: text })),
    }),
  "mgr net topology": (text) =>
    topologyText({
      networks: [{ name: text, netmasks: [text], interfaces: [{ host: text, interface: text, ip: text }] }],
      gateways: [{ host: text, networks: [text] }],
    }),
  "mgr net tcp": (text) =>
    tcpText(TCP_CONNECTIONS.map((each) => ({ ...each, process: text, program: text, local: text, peer: text, peer_host: text }))),
};

describeUntrustedText(PLACES);

/** How often each file writes to a terminal. A new place comes into the table above; then it is counted here. */
const WRITES = {
  "src/features/network-statistics/cli/net.ts": 4,
};

test("every place that writes to a terminal is known", () => {
  expect(writesOf("src/features/network-statistics")).toEqual(WRITES);
});
