import type { HostSession } from "../../../app/hosts/host-session.ts";
import { readList } from "../../../app/hosts/list-reader.ts";
import { networkPage, type TcpRow, tcpPage } from "../contract.ts";
import { Counted } from "./reading.ts";

/** Reads the counters of a host's daemon. Rejects as commands of a session do. */
export async function readHost(session: HostSession, interfaces: boolean): Promise<Counted> {
  const { link } = session;
  const answer = await session.command((id) => link.request("network", { session: id, interfaces }));
  return new Counted(answer.time, await readList(session, answer, networkPage));
}

export async function readTcp(session: HostSession): Promise<TcpRow[]> {
  const { link } = session;
  return readList(session, await session.command((id) => link.request("tcp_connections", { session: id })), tcpPage);
}
