import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";

/** What both ends of a link see of each other's packets: all, most, half, none. */
export type Quality = "good" | "lossy" | "half" | "cut";

/** One packet in as many is lost: a power of 2. Of the kernel's random number, the bits that this takes are compared. */
const oneIn = (count: number) => `5,32 0 0 4294963256,84 0 0 ${count - 1},21 0 1 1,6 0 0 4294967295,6 0 0 0`;
/** Classic BPF for tc (kernels without netem can do this): 0 lets a packet pass, anything else sends it into the hole. */
const LOSS: Record<Exclude<Quality, "good">, string> = { cut: "1,6 0 0 4294967295", half: oneIn(2), lossy: oneIn(16) };
/** The interfaces below /sys are those of the machine; the rest stays, cgroups are there. */
const DEVICES = "/sys/devices/virtual/net";
const OWN_SYS = [
  `mount -t sysfs sysfs ${DEVICES}`,
  `mount --bind ${DEVICES}/class/net /sys/class/net`,
  `mount --bind ${DEVICES}/devices/virtual/net ${DEVICES}`,
].join(" && ");
const HOLDER = "echo up; while :; do sleep 1000 & wait $!; done";

/** A machine: network, mounts and processes of its own, or (the manager's) the network only. It lives as long as its first process. */
export interface Machine {
  readonly name: string;
  readonly address: string;
  readonly holder: ChildProcess;
  /** As seen from outside. */
  readonly init: number;
  readonly ownsProcesses: boolean;
}

/**
 * Machines at one switch, made of namespaces that belong to processes: nothing has a name in the system, and everything is
 * gone when those processes are. Needs root.
 */
export class Network {
  readonly #env: NodeJS.ProcessEnv;
  readonly #machines = new Map<string, Machine>();
  #switch: ChildProcess | null = null;

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env;
    if (process.getuid?.() !== 0) throw new Error("tests with networks of their own need root: run them with sudo");
  }

  async begin(): Promise<void> {
    this.#switch = await this.#hold(["-n", "sh", "-c", HOLDER]);
    // There may be no dummy devices, but what goes into a bridge without ports is gone, too.
    for (const bridge of ["br0", "hole"]) this.#atSwitch(`ip link add name ${bridge} type bridge`, `ip link set ${bridge} up`);
  }

  /** Boots a machine. `boot_id`: a file with what it says of itself; it then has processes of its own. */
  async boot(name: string, address: string, boot_id?: string): Promise<Machine> {
    const own = ["-n", "-m", "-f", "-p", "--mount-proc", "--kill-child"];
    const script = boot_id === undefined ? HOLDER : `mount --bind ${boot_id} /proc/sys/kernel/random/boot_id; ${OWN_SYS}; ${HOLDER}`;
    const holder = await this.#hold([...(boot_id === undefined ? ["-n"] : own), "sh", "-c", script]);
    const pid = holder.pid ?? 0;
    const init = boot_id === undefined ? pid : Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1"));
    const machine = { name, address, holder, init, ownsProcesses: boot_id !== undefined };
    this.#machines.set(name, machine);
    // A machine that is gone may have left its end of the cable for a moment.
    this.#atSwitch(`ip link del p-${name} 2>/dev/null || true; ip link add name p-${name} type veth peer name eth0 netns ${init}`);
    this.#atSwitch(`ip link set p-${name} master br0 up`, `tc qdisc add dev p-${name} clsact`);
    this.exec(machine, "sh", "-c", `ip link set lo up; ip addr add ${address}/24 dev eth0; ip link set eth0 up`);
    return machine;
  }

  /** A cable between two machines beside the switch: an interface of this name at both ends, with an address (CIDR) each. */
  cable(name: string, ends: readonly (readonly [machine: Machine, address: string])[]): void {
    const [one, other] = ends.map(([{ init }]) => init);
    this.#atSwitch(`ip link add name ${name} netns ${one} type veth peer name ${name} netns ${other}`);
    for (const [machine, address] of ends) this.exec(machine, "sh", "-ec", `ip addr add ${address} dev ${name}; ip link set ${name} up`);
  }

  /** How packets to and from a machine fare from now on. */
  link(name: string, quality: Quality): void {
    for (const direction of ["egress", "ingress"]) {
      this.#atSwitch(`tc filter del dev p-${name} ${direction} 2>/dev/null || true`);
      if (quality === "good") continue;
      this.#atSwitch(`tc filter add dev p-${name} ${direction} bpf bytecode '${LOSS[quality]}' action mirred egress redirect dev hole`);
    }
  }

  /** What to put before a command line to run it on a machine. */
  on(machine: Machine): string[] {
    const flags = machine.ownsProcesses ? ["-n", "-p", "-m"] : ["-n"];
    return ["nsenter", "-t", String(machine.init), ...flags, "--"];
  }

  exec(machine: Machine, ...words: string[]): string {
    const [program = "", ...args] = [...this.on(machine), ...words];
    return execFileSync(program, args, { env: this.#env, encoding: "utf8" });
  }

  /** The power is cut. */
  async crash(machine: Machine): Promise<void> {
    const gone = once(machine.holder, "exit");
    process.kill(machine.init, "SIGKILL");
    await gone;
    this.#machines.delete(machine.name);
  }

  async end(): Promise<void> {
    for (const machine of [...this.#machines.values()]) await this.crash(machine);
    this.#switch?.kill("SIGKILL");
  }

  async #hold(args: string[]): Promise<ChildProcess> {
    const child = spawn("unshare", args, { env: this.#env, stdio: ["ignore", "pipe", "pipe"] });
    let complaint = "";
    child.stderr?.on("data", (text) => {
      complaint += text;
    });
    if (!child.stdout) throw new Error("unshare has no output");
    await Promise.race([
      once(child.stdout, "data"),
      once(child, "exit").then(([code]) => {
        throw new Error(`unshare ${args.join(" ")} ended with ${code}: ${complaint}`);
      }),
    ]);
    return child;
  }

  #atSwitch(...lines: string[]): void {
    execFileSync("nsenter", ["-t", String(this.#switch?.pid), "-n", "--", "sh", "-ec", lines.join("\n")], { env: this.#env });
  }
}
