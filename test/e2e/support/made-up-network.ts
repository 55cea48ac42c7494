import type { Page } from "playwright-core";
import { TCP_CONNECTIONS } from "../../features/network-statistics/network-example.ts";
import { madeUpFleet } from "../../features/network-statistics/network-fleet.ts";

type Frame = Readonly<Record<string, unknown>>;

/**
 * From its next load on the page gets the network statistics of a made-up fleet in place of the manager's; everything else is the manager's.
 * Returns what it asks for, as it grows.
 */
export async function makeUpNetwork(page: Page, hosts: number): Promise<string[]> {
  const asked: string[] = [];
  let tick = 0;
  await page.routeWebSocket(/\/ws(\?|$)/, (socket) => {
    const manager = socket.connectToServer();
    manager.onMessage((message) => socket.send(withHosts(message, hosts)));
    socket.onMessage((message) => {
      const frame = JSON.parse(String(message)) as Frame;
      const answer = answerTo(frame, hosts, () => tick++);
      if (answer === null) return manager.send(message);
      asked.push(String(frame.type));
      socket.send(JSON.stringify({ ok: true, request_id: frame.request_id, ...answer }));
    });
  });
  return asked;
}

function answerTo(frame: Frame, hosts: number, next: () => number): Frame | null {
  if (frame.type === "request_network_stats") return { type: "network_stats", stats: madeUpFleet(hosts, next()).stats };
  if (frame.type === "request_network_topology") return { type: "network_topology", topology: madeUpFleet(hosts).topology };
  if (frame.type === "request_tcp_connections") return { type: "tcp_connections", host: frame.host, connections: TCP_CONNECTIONS };
  return null;
}

/** The manager's snapshot with the hosts of the fleet. */
function withHosts(message: string | Buffer, count: number): string | Buffer {
  if (!String(message).includes('"snapshot"')) return message;
  const frame = JSON.parse(String(message)) as Frame;
  if (frame.type !== "snapshot" || !Array.isArray(frame.host_list)) return message;
  const [own] = frame.host_list as Frame[];
  const names = madeUpFleet(count).stats.udp.map(({ host }) => host);
  return JSON.stringify({ ...frame, host_list: names.map((name) => ({ ...own, name, all_names: [name] })) });
}
