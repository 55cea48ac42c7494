import type { HostSession } from "../../../app/hosts/host-session.ts";
import { type AnyErrorCode, MgrError } from "../../../base/errors.ts";
import { jsonOf } from "../../../bus/client/rpc-envelope.ts";
import { type NetworkRow, networkPage, type TcpRow, tcpPage } from "../contract.ts";
import { Counted } from "./reading.ts";

/** Reads the counters of a host's daemon. Rejects as commands of a session do. */
export async function readHost(session: HostSession, interfaces: boolean): Promise<Counted> {
  const { link } = session;
  const answer = await session.command((id) => link.request("network", { session: id, interfaces }));
  const rows: NetworkRow[] = networkPage.parse(jsonOf(answer.data));
  for await (const data of furtherPages(session, answer)) rows.push(...networkPage.parse(jsonOf(data)));
  return new Counted(answer.time, rows);
}

export async function readTcp(session: HostSession): Promise<TcpRow[]> {
  const { link } = session;
  const answer = await session.command((id) => link.request("tcp_connections", { session: id }));
  const rows = tcpPage.parse(jsonOf(answer.data));
  for await (const data of furtherPages(session, answer)) rows.push(...tcpPage.parse(jsonOf(data)));
  return rows;
}

async function* furtherPages(session: HostSession, { list, pages }: { list: string; pages: number }): AsyncGenerator<Uint8Array> {
  const { link } = session;
  for (let page = 1; page < pages; page++)
    yield (await session.command((id) => link.request("network_page", { session: id, list, page }))).data;
}

/** Whether the daemon's version does not know the request. */
export function isTooOld(error: unknown): boolean {
  return error instanceof MgrError && error.code === ("unknown_action" satisfies AnyErrorCode);
}
