import { expect, test } from "vitest";
import { readList } from "../../../../src/app/hosts/list-reader.ts";
import { type PortRow, portPage } from "../../../../src/features/ports/contract.ts";
import { HostRig, spec } from "../../../daemon/support/hosts.ts";

/** Binds what the words say, and prints the numbers of the ports. */
const LISTENER = `import socket, sys, time
kept = []
for word in sys.argv[1:]:
    kind, address = word.split(",")
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    one = socket.socket(family, socket.SOCK_STREAM if kind == "tcp" else socket.SOCK_DGRAM)
    one.bind((address, 0))
    if kind == "tcp": one.listen()
    kept.append(one)
# Neither a listener nor its connection is a port of its own.
peer = socket.create_connection(kept[0].getsockname()[:2]) if kept and kept[0].type == socket.SOCK_STREAM else None
print("ports", *[one.getsockname()[1] for one in kept], flush=True)
time.sleep(1000)`;

const listener = (...words: string[]) => `exec /usr/bin/python3 -c '${LISTENER}' ${words.join(" ")}`;

/** Reads what a run has printed after the word "ports". */
async function printedPorts(rig: HostRig, name: string): Promise<number[]> {
  const printed = async () => {
    const { data } = await rig.host.request("read", { session: rig.session, name, from: 0, max: 4_096 });
    return /ports((?: \d+)*)\r/.exec(Buffer.from(data).toString())?.[1];
  };
  let text: string | undefined;
  await expect.poll(async () => (text = await printed())).toBeDefined();
  return (text ?? "").trim().split(" ").map(Number);
}

async function rowsOf(rig: HostRig, names: string[] | null): Promise<PortRow[]> {
  const { session } = rig;
  const first = await rig.host.request("listening_ports", { session, names });
  return readList({ command: (request) => request(session), link: rig.host }, first, portPage);
}

test("the ports of each tree are those that its processes have bound, those of children included", async () => {
  await using rig = await HostRig.open();
  const { pid } = await rig.spawn(spec("a", listener("tcp,127.0.0.1", "tcp,::", "udp,0.0.0.0")));
  await rig.spawn(spec("b", `(${listener("tcp,127.0.0.1")}) & wait`));
  await rig.spawn(spec("quiet", "echo ports; exec sleep 1000"));
  const [one = 0, two = 0, three = 0] = await printedPorts(rig, "a");
  const [child = 0] = await printedPorts(rig, "b");
  const rows = await rowsOf(rig, null);
  const tcp = [
    { protocol: "tcp", address: "127.0.0.1", port: one, pid, own_network: false },
    { protocol: "tcp", address: "::", port: two, pid, own_network: false },
  ].sort((x, y) => x.port - y.port);
  expect(rows.find(({ name }) => name === "a")).toEqual({
    name: "a",
    complete: true,
    ports: [...tcp, { protocol: "udp", address: "0.0.0.0", port: three, pid, own_network: false }],
  });
  expect(rows.find(({ name }) => name === "b")).toMatchObject({ complete: true, ports: [{ address: "127.0.0.1", port: child }] });
  expect(rows.find(({ name }) => name === "quiet")).toEqual({ name: "quiet", complete: true, ports: [] });
  expect((await rowsOf(rig, ["b", "no such process"])).map(({ name }) => name)).toEqual(["b"]);
});

test("a port in another network namespace is marked: the address of the machine does not lead to it", async () => {
  await using rig = await HostRig.open();
  await rig.spawn(spec("apart", `exec unshare --map-root-user --net /usr/bin/python3 -c '${LISTENER}' udp,0.0.0.0`));
  const [port = 0] = await printedPorts(rig, "apart");
  expect(await rowsOf(rig, ["apart"])).toMatchObject([{ complete: true, ports: [{ protocol: "udp", port, own_network: true }] }]);
});

test("of a process with hundreds of ports 256 are listed, as an incomplete list", async () => {
  await using rig = await HostRig.open();
  await rig.spawn(spec("many", listener(...Array.from({ length: 300 }, () => "udp,127.0.0.1"))));
  await printedPorts(rig, "many");
  const [row] = await rowsOf(rig, ["many"]);
  expect(row?.ports).toHaveLength(256);
  expect(row?.complete).toBe(false);
});
