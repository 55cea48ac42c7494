import { messageOf } from "../../base/errors.ts";
import type { ManagerClient } from "../../client/index.ts";
import { type ConnectionFlags, connectManager, whileConnected } from "../connection.ts";
import { CommandFailure, EXIT } from "../exit-codes.ts";
import { type Command, press } from "../top/actions.ts";
import { keysOf } from "../top/keys.ts";
import { loadsOf } from "../top/loads.ts";
import { INITIAL, type TopState } from "../top/model.ts";
import { pageOf, picture } from "../top/picture.ts";
import { Screen } from "../top/screen.ts";
import { attachTo } from "./attach.ts";

/** Between two questions for the load, milliseconds. */
const LOADS_MS = 2_000;
/** Changes within this time are drawn together, milliseconds. */
const DRAW_MS = 50;
/** Lines of output that an attached process begins with. */
const ATTACH_LINES = 1_000;
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** `mgr top`: a live list over the whole terminal, until q. */
export async function top(flags: ConnectionFlags): Promise<void> {
  if (!process.stdin.isTTY || !process.stdout.isTTY)
    throw new CommandFailure(EXIT.usage, "mgr top needs a terminal; for pipes there are mgr ps and mgr ps --json");
  const client = await connectManager(flags);
  try {
    const { manager } = await client.snapshot();
    await client.mirror.current();
    await new Top(client, `${manager.name}@${manager.host}`).run();
  } finally {
    client.close();
  }
}

class Top {
  readonly #client: ManagerClient;
  readonly #screen = new Screen();
  #state: TopState;
  #top = 0;
  #isDue = false;
  #isAttached = false;
  #isOver = false;
  #loadsTimer: NodeJS.Timeout | undefined;

  constructor(client: ManagerClient, instance: string) {
    this.#client = client;
    this.#state = { ...INITIAL, instance };
  }

  /** Resolves when the user has had enough; rejects when the connection ends. The terminal is given back in any case. */
  async run(): Promise<void> {
    const { stdin, stdout } = process;
    const changes = this.#client.mirror.changes$.subscribe(() => this.#read());
    const resized = () => this.#redraw();
    stdout.on("resize", resized);
    process.on("SIGCONT", this.#continued);
    let end = () => {};
    const typed = (data: Buffer) => {
      for (const key of keysOf(data.toString())) if (!this.#isAttached) this.#press(key, end);
    };
    try {
      this.#screen.enter();
      await whileConnected(this.#client, (stop) => {
        end = stop;
        for (const signal of SIGNALS) process.once(signal, stop);
        stdin.on("data", typed).once("end", stop).resume();
        this.#read();
        void this.#followLoads();
      });
    } finally {
      for (const signal of SIGNALS) process.off(signal, end);
      stdin.off("data", typed).pause();
      stdout.off("resize", resized);
      process.off("SIGCONT", this.#continued);
      this.#isOver = true;
      clearTimeout(this.#loadsTimer);
      changes.unsubscribe();
      this.#screen.leave();
    }
  }

  #press(key: string, stop: () => void): void {
    const { state, command } = press(this.#state, key, pageOf(this.#screen.size));
    this.#set(state);
    if (command?.kind === "quit") stop();
    else if (command) void this.#do(command);
  }

  async #do(command: Command): Promise<void> {
    try {
      if (command.kind === "redraw") this.#redraw();
      else if (command.kind === "suspend") this.#suspend();
      else if (command.kind === "attach") await this.#attach(command.name);
      else if (command.kind === "control") {
        const { verb, name } = command;
        await this.#client.request({ type: `${verb}_process`, name });
        this.#say(`${verb} of ${name} was accepted`, false);
      }
    } catch (error) {
      this.#say(messageOf(error), true);
    }
  }

  /** The terminal is the process's until Ctrl-]. */
  async #attach(name: string): Promise<void> {
    this.#isAttached = true;
    this.#screen.leave();
    process.stdout.write(`\x1b[H\x1b[2J`);
    try {
      await attachTo(this.#client, name, ATTACH_LINES);
    } finally {
      this.#isAttached = false;
      this.#screen.enter();
      process.stdin.resume();
      this.#redraw();
    }
  }

  #suspend(): void {
    this.#screen.leave();
    process.kill(process.pid, "SIGSTOP");
  }

  readonly #continued = (): void => {
    if (this.#isAttached) return;
    this.#screen.enter();
    this.#redraw();
  };

  async #followLoads(): Promise<void> {
    const { mirror } = this.#client;
    const hosts = [...new Set(mirror.processes().map(({ host }) => host))];
    const loads = await loadsOf(this.#client, hosts);
    if (this.#isOver) return;
    const offsets = hosts.map((name) => [name, mirror.host(name)?.clock_offset ?? 0] as const);
    this.#set({ ...this.#state, loads, clockOffsets: new Map(offsets) });
    this.#loadsTimer = setTimeout(() => void this.#followLoads(), LOADS_MS);
  }

  #read(): void {
    this.#set({ ...this.#state, processes: this.#client.mirror.processes() });
  }

  #say(text: string, isBad: boolean): void {
    this.#set({ ...this.#state, message: { text, isBad } });
  }

  #set(state: TopState): void {
    this.#state = state;
    if (this.#isDue) return;
    this.#isDue = true;
    setTimeout(() => {
      this.#isDue = false;
      this.#draw();
    }, DRAW_MS);
  }

  #redraw(): void {
    this.#screen.forget();
    this.#draw();
  }

  #draw(): void {
    const { lines, top } = picture(this.#state, this.#screen.size, this.#top);
    this.#top = top;
    this.#screen.draw(lines);
  }
}
