import type { MetricsPart } from "../../../http/extension.ts";
import type { Network, NetworkTotals } from "./network.ts";

/** Counters of the interfaces, brokers and topics of all hosts. */
export function networkMetrics(network: Pick<Network, "totals">): MetricsPart {
  /** Totals, requested for each metrics text; null: the request failed. */
  let traffic: NetworkTotals | null = null;
  return {
    async collect() {
      traffic = await network.totals().catch(() => null);
    },
    define(writer) {
      for (const what of ["bytes", "packets", "errors", "drops"] as const)
        writer.total(
          `mgr_network_${what}_total`,
          `The kernel's ${what} of each interface.`,
          ["host", "interface", "direction"],
          (counter) => {
            for (const { host, interface: name, ...totals } of traffic?.interfaces ?? []) {
              counter.inc({ host, interface: name, direction: "received" }, totals[`rx_${what}`]);
              counter.inc({ host, interface: name, direction: "sent" }, totals[`tx_${what}`]);
            }
          },
        );
      const lost =
        "Messages of a host that subscribers lost (dropped), links lost (link_dropped), or that a cut link did not carry (missed, lost).";
      writer.total("mgr_host_bus_lost_messages_total", lost, ["host", "how"], (counter) => {
        for (const { host, dropped_msgs, link_dropped_msgs, missed_msgs, lost_msgs } of traffic?.brokers ?? []) {
          counter.inc({ host, how: "dropped" }, dropped_msgs - link_dropped_msgs);
          counter.inc({ host, how: "link_dropped" }, link_dropped_msgs);
          counter.inc({ host, how: "missed" }, missed_msgs);
          counter.inc({ host, how: "lost" }, lost_msgs);
        }
      });
      writer.gauge("mgr_host_bus_memory_bytes", "Memory of a host's broker for queues, kept messages and loggers.", ["host"], (gauge) => {
        for (const { host, memory_bytes } of traffic?.brokers ?? []) gauge.set({ host }, memory_bytes);
      });
      writer.total(
        "mgr_host_bus_freed_messages_total",
        "Messages dropped because this memory was used up, by owner.",
        ["host", "owner"],
        (counter) => {
          for (const { host, freed } of traffic?.brokers ?? [])
            for (const { owner, messages } of freed) counter.inc({ host, owner }, messages);
        },
      );
      const topicLabels = ["host", "topic", "end"];
      writer.total("mgr_topic_messages_total", "Messages published on a host, and arrived there from others.", topicLabels, (counter) => {
        for (const { host, topic, end, messages } of traffic?.topics ?? []) counter.inc({ host, topic, end }, messages);
      });
      writer.total("mgr_topic_bytes_total", "Bytes of these messages.", topicLabels, (counter) => {
        for (const { host, topic, end, bytes } of traffic?.topics ?? []) counter.inc({ host, topic, end }, bytes);
      });
    },
  };
}
