import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { get, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { kill, killed, says } from "./children.ts";
import { Client } from "./client.ts";
import { LastResort } from "./last-resort.ts";
import { MARK, markedProcesses } from "./marked.ts";
import { type Machine, Network, type Quality } from "./network.ts";
import { eventually } from "./wait.ts";

const execute = promisify(execFile);
const PROGRAM = fileURLToPath(new URL("../../../bin/mgr.js", import.meta.url));
const WATCH = fileURLToPath(new URL("../../fixtures/watch-duplicates.js", import.meta.url));
const PORT = 8130;
const NATS_PORT = 4222;
const LEAF_PORT = 7422;
/** Lets the test into the network of a machine: a unix socket that leads to an address and port there. */
const RELAY = `const net = require("node:net"); const [, path, host, port] = process.argv; net.createServer((s) => { const to = net.connect(port, host);
  s.pipe(to).pipe(s); s.on("error", () => to.destroy()); to.on("error", () => s.destroy()); }).listen(path, () => console.log("up"));`;

interface FleetOptions {
  /** Names of the remote hosts. */
  hosts: readonly string[];
  processes: Record<string, object>;
  /** Those of the hosts that start after a boot what was requested before. */
  resuming?: readonly string[];
  /** Debian's nats-server carries the remote hosts. */
  nats?: boolean;
  /** It also links the hosts' brokers. */
  leafnodes?: boolean;
  /** Of the configuration. */
  networks?: Record<string, object>;
  /** Further settings of `instance`. */
  instance?: object;
  /** The flight recorder; by default it is off. */
  flight?: object;
  /** Topics that hosts keep while their link is cut. */
  storeForward?: object;
  /** Hosts whose daemon has further environment. */
  environments?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** A manager and the daemons of other hosts, each on a machine of its own at one switch, run by the built program. */
export class Fleet implements AsyncDisposable {
  readonly dir = mkdtempSync(join(tmpdir(), "mgr-fleet-"));
  readonly #mark = randomUUID();
  readonly #env: NodeJS.ProcessEnv = {
    PATH: `${process.env.PATH}:/usr/sbin`,
    HOME: this.dir,
    LANG: "C.UTF-8",
    XDG_RUNTIME_DIR: join(this.dir, "run"),
    [MARK]: this.#mark,
  };
  readonly #options: FleetOptions;
  readonly #network = new Network(this.#env);
  readonly #lastResort = new LastResort(this.#mark, this.dir);
  readonly #machines = new Map<string, Machine>();
  readonly #daemons = new Map<string, ChildProcess>();
  readonly #clients: Client[] = [];
  readonly config = join(this.dir, "mgr.yaml");
  #manager: ChildProcess | null = null;
  #nats: ChildProcess | null = null;
  #watch: ChildProcess | null = null;
  #watched = "";
  #boots = 0;

  private constructor(options: FleetOptions) {
    this.#options = options;
    mkdirSync(join(this.dir, "run"), { mode: 0o700 });
    writeFileSync(join(this.dir, "webui.keys"), "ada correct horse\n", { mode: 0o600 });
    for (const host of options.hosts)
      writeFileSync(join(this.dir, `${host}.token`), `${randomBytes(24).toString("hex")}\n`, { mode: 0o600 });
    this.write(options.processes);
  }

  static async up(options: FleetOptions): Promise<Fleet> {
    const fleet = new Fleet(options);
    try {
      await fleet.#begin();
      return fleet;
    } catch (error) {
      await fleet[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Another configuration: the next reload takes it. */
  write(processes: Record<string, object>, hosts = this.#options.hosts): void {
    const configuration = {
      instance: {
        name: "fleet",
        manager: `:${PORT}`,
        webui_auth_file: "webui.keys",
        state_dir: "state",
        ...(this.#options.nats ? { bus: `nats://10.77.0.1:${NATS_PORT}` } : {}),
        ...(this.#options.leafnodes ? { bus_leafnode_url: `nats://10.77.0.1:${LEAF_PORT}` } : {}),
        ...this.#options.instance,
      },
      hosts: Object.fromEntries(
        hosts.map((host) => [
          host,
          { token_file: `${host}.token`, ...(this.#options.resuming?.includes(host) ? { on_boot: "resume" } : {}) },
        ]),
      ),
      networks: this.#options.networks ?? {},
      ...(this.#options.flight === undefined ? {} : { flight: this.#options.flight }),
      ...(this.#options.storeForward === undefined ? {} : { store_forward: this.#options.storeForward }),
      defaults: { environment: { [MARK]: this.#mark } },
      processes,
    };
    writeFileSync(this.config, JSON.stringify(configuration));
  }

  link(host: string, quality: Quality): void {
    this.#network.link(host, quality);
  }

  /** A cable between two hosts beside the switch; `ends`: the address (CIDR) of each. */
  cable(name: string, ends: Readonly<Record<string, string>>): void {
    this.#network.cable(
      name,
      Object.entries(ends).map(([host, address]) => [this.#machine(host), address]),
    );
  }

  /** Runs a command on a machine, and resolves with what it prints. The test's own connections live on meanwhile. */
  async exec(machine: string, ...words: string[]): Promise<string> {
    const [program = "", ...args] = [...this.#network.on(this.#machine(machine)), ...words];
    return (await execute(program, args, { env: this.#env })).stdout;
  }

  /** What to put before a command line to run it on a machine; whatever it starts ends with the fleet at the latest. */
  on(machine: string): string[] {
    return [...this.#network.on(this.#machine(machine)), "env", "-C", process.cwd(), `${MARK}=${this.#mark}`];
  }

  /** Runs a command of the program on the manager's machine, and resolves with what it prints. */
  async mgr(command: string, ...args: string[]): Promise<string> {
    return this.exec("manager", process.execPath, PROGRAM, command, "-c", this.config, ...args);
  }

  /** Starts a program on a machine, which listens to its standard input; it ends with the fleet at the latest. */
  run(machine: string, words: readonly string[]): ChildProcess & { stdin: Writable; stdout: Readable } {
    return this.#spawn(machine, words, "pipe") as ChildProcess & { stdin: Writable; stdout: Readable };
  }

  /** The bus of a host, as a socket that the test can reach, and what lets clients in. */
  async bus(host: string): Promise<{ path: string; port: number; token: string }> {
    const { port, username: token } = new URL(await this.busUrl(host));
    return { path: await this.tunnel(host, Number(port)), port: Number(port), token };
  }

  /** A socket that leads to a port as a machine sees it: its own one, or that of another address. */
  async tunnel(machine: string, port = PORT, address = "127.0.0.1"): Promise<string> {
    const path = join(this.dir, `${machine}-${port}.sock`);
    await this.#relay(machine, path, { address, port });
    return path;
  }

  /** The address of the bus of a machine, for programs there. */
  async busUrl(machine: string): Promise<string> {
    const file = join(this.dir, machine === "manager" ? "state" : `state-${machine}`, "bus.url");
    return eventually(`${machine} has a bus`, () => (existsSync(file) && readFileSync(file, "utf8").trim()) || null);
  }

  /** The nats-server, as a socket that the test can reach. */
  nats(): Promise<string> {
    return this.tunnel("manager", NATS_PORT);
  }

  /** What the manager answers to a GET. */
  async get(path: string): Promise<Buffer> {
    const request = get({ socketPath: this.socket, path, auth: "ada:correct horse", agent: false });
    const [response] = (await once(request, "response")) as [IncomingMessage];
    const content = await buffer(response);
    if (response.statusCode !== 200) throw new Error(`${path} was answered with ${response.statusCode}: ${content}`);
    return content;
  }

  /** Starts the manager; resolves once it says that it is up. */
  async startManager(): Promise<void> {
    const child = this.#spawn("manager", [process.execPath, PROGRAM, "up", "-c", this.config]);
    this.#manager = child;
    await says(child, / is up at /);
  }

  async killManager(): Promise<void> {
    await killed(this.#manager);
  }

  /** A new daemon of `host`, on its machine. */
  startDaemon(host: string): void {
    const bus = this.#options.nats ? `nats://10.77.0.1:${NATS_PORT}` : `ws://10.77.0.1:${PORT}`;
    const token = join(this.dir, `${host}.token`);
    const state = join(this.dir, `state-${host}`);
    const words = [process.execPath, PROGRAM, "daemon", "--host", host, "--bus", bus, "--token-file", token, "--state-dir", state];
    const home = this.homeOf(host);
    mkdirSync(home, { recursive: true });
    const environment = Object.entries({ HOME: home, ...this.#options.environments?.[host] }).map(([name, value]) => `${name}=${value}`);
    this.#daemons.set(host, this.#spawn(host, ["env", ...environment, ...words, "--cwd", home]));
  }

  /** Where the daemon of `host` is at home and begins. */
  homeOf(host: string): string {
    return join(this.dir, `home-${host}`);
  }

  /** Kills a process of a machine, by the pid that it has there. */
  signal(machine: string, pid: number): void {
    this.#network.exec(this.#machine(machine), "kill", "-9", String(pid));
  }

  /** The daemon alone; its guard does the rest. */
  async killDaemon(host: string): Promise<void> {
    const info = JSON.parse(readFileSync(join(this.dir, `state-${host}`, "daemon.lock"), "utf8")) as { pid: number };
    this.signal(host, info.pid);
    const child = this.#daemons.get(host);
    if (child && child.exitCode === null && child.signalCode === null) await once(child, "exit");
  }

  /** The power of `host` fails and comes back: nothing of it lives on, and it says that it has booted. Its daemon comes with it. */
  async reboot(host: string): Promise<void> {
    const machine = this.#machine(host);
    await this.#network.crash(machine);
    await this.#boot(host, machine.address);
    this.startDaemon(host);
  }

  async startNats(): Promise<void> {
    const file = join(this.dir, "nats.conf");
    const leafnodes = this.#options.leafnodes ? `leafnodes {listen: "0.0.0.0:${LEAF_PORT}"}\n` : "";
    writeFileSync(file, `listen: "0.0.0.0:${NATS_PORT}"\n${leafnodes}`);
    this.#nats = this.#spawn("manager", ["nats-server", "-c", file]);
    await says(this.#nats, /Server is ready/);
  }

  async killNats(): Promise<void> {
    await killed(this.#nats);
  }

  /** Of the manager, and what lets the user in. */
  get url(): string {
    return `ws+unix://${this.socket}:`;
  }

  readonly basic = `Basic ${Buffer.from("ada:correct horse").toString("base64")}`;

  async connect(): Promise<Client> {
    const client = await Client.open(`${this.url}/ws`, { authorization: this.basic });
    this.#clients.push(client);
    return client;
  }

  /** From now on it is seen when two of these live at the same moment. */
  watch(commands: readonly (readonly string[])[]): void {
    this.#watch = spawn(process.execPath, [WATCH, ...commands.map((words) => JSON.stringify(words))], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    this.#watch.stdout?.setEncoding("utf8").on("data", (text) => {
      this.#watched += text;
    });
  }

  /** Resolves when the watcher has seen a program. It never sees a program that ends between two of its looks. */
  async untilSeen(words: readonly string[]): Promise<void> {
    const line = JSON.stringify({ first: words.join(" ") });
    await eventually(`'${words.join(" ")}' was seen`, () => this.#watched.includes(`${line}\n`));
  }

  /** What was seen twice at the same moment, how often somebody looked, and how many of the commands were seen at all. */
  async watched(): Promise<{ twins: object[]; looks: number; seen: number }> {
    const child = this.#watch;
    if (!child) throw new Error("nobody watches");
    child.stdin?.end();
    await once(child, "close");
    this.#watch = null;
    const lines = this.#watched
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { looks?: number; seen?: number; pids?: string[] });
    return { twins: lines.filter(({ pids }) => pids !== undefined), looks: lines.at(-1)?.looks ?? 0, seen: lines.at(-1)?.seen ?? 0 };
  }

  /** The pid outside of the hosts' own pid namespaces; undefined: the command does not run on any host. */
  pidHere(command: string): number | undefined {
    return markedProcesses(this.#mark).find((living) => living.command === command)?.pid;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const problems = this.#clients.flatMap((client) => client.problems);
    for (const client of this.#clients) client.ws.terminate();
    this.#watch?.kill("SIGKILL");
    await this.#network.end();
    await eventually("nothing of the fleet is alive", () => {
      // Again and again: who is about to die may have begun another one.
      const living = markedProcesses(this.#mark);
      for (const { pid } of living) kill(pid);
      return living.length === 0;
    });
    await this.#lastResort.dismiss();
    // A process that was killed may end a call of the kernel that makes a file, when it has no environment any more.
    rmSync(this.dir, { recursive: true, force: true, maxRetries: 10 });
    if (problems.length > 0) throw new Error(`frames that do not conform to the tables:\n${[...new Set(problems)].join("\n")}`);
  }

  /** The port of the manager, as a unix socket that the test can reach. */
  get socket(): string {
    return join(this.dir, "relay.sock");
  }

  async #begin(): Promise<void> {
    await this.#network.begin();
    this.#machines.set("manager", await this.#network.boot("manager", "10.77.0.1"));
    for (const [index, host] of this.#options.hosts.entries()) await this.#boot(host, `10.77.0.${index + 2}`);
    if (this.#options.nats) await this.startNats();
    await this.startManager();
    await this.#relay("manager", this.socket, { address: "127.0.0.1", port: PORT });
    for (const host of this.#options.hosts) this.startDaemon(host);
  }

  async #boot(host: string, address: string): Promise<void> {
    const file = join(this.dir, `boot-${++this.#boots}`);
    writeFileSync(file, `${randomUUID()}\n`);
    this.#machines.set(host, await this.#network.boot(host, address, file));
  }

  #machine(name: string): Machine {
    const machine = this.#machines.get(name);
    if (!machine) throw new Error(`there is no machine '${name}'`);
    return machine;
  }

  async #relay(machine: string, path: string, { address, port }: { address: string; port: number }): Promise<void> {
    await says(this.#spawn(machine, [process.execPath, "-e", RELAY, path, address, String(port)]), /up/);
  }

  #spawn(machine: string, words: readonly string[], input: "ignore" | "pipe" = "ignore"): ChildProcess {
    const [program = "", ...args] = [...this.#network.on(this.#machine(machine)), ...words];
    return spawn(program, args, { cwd: this.dir, env: this.#env, stdio: [input, "pipe", "pipe"] });
  }

  /** For a person who looks for the reason of a failure. */
  logOf(host: string): string {
    const file = join(this.dir, `state-${host}`, "daemon.log");
    return existsSync(file) ? readFileSync(file, "utf8") : "";
  }
}
