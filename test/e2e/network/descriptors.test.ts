import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Instance } from "../support/instance.ts";
import { eventually } from "../support/wait.ts";

const WAVE = 100;

const descriptors = (pid: number) => readdirSync(`/proc/${pid}/fd`).length;

class Crowd {
  readonly #sockets = new Set<Socket>();

  /** Opens `count` connections that say nothing. `each` is called after each wave. */
  async fill(count: number, open: () => Socket, each: () => void): Promise<void> {
    for (let done = 0; done < count; done += WAVE) {
      await Promise.all(Array.from({ length: WAVE }, () => this.#open(open())));
      each();
    }
  }

  async leave(): Promise<void> {
    const closed = [...this.#sockets].map((socket) => once(socket, "close"));
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all(closed);
  }

  async #open(socket: Socket): Promise<void> {
    this.#sockets.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => this.#sockets.delete(socket));
    // What the bus says.
    socket.resume();
    // One that fails is closed, too: the queue of a unix socket may be full (EAGAIN).
    await new Promise<void>((resolve) => socket.once("connect", resolve).once("close", () => resolve()));
  }
}

test.each([256, 1_024, 4_096])(
  "with %i descriptors, crowds at every listener do not disturb the manager",
  { timeout: 480_000 },
  async (limit) => {
    await using instance = new Instance({ processes: { one: { command: "sleep 1000" } } });
    instance.openFiles = limit;
    const foreground = instance.start("up", "-c", instance.config);
    await foreground.up();
    const client = await instance.connect();
    const pid = instance.pidOf("manager") ?? 0;
    const daemon = instance.pidOf("daemon");
    expect(readFileSync(`/proc/${pid}/limits`, "utf8")).toMatch(new RegExp(`^Max open files +${limit} +${limit} `, "m"));
    const before = descriptors(pid);
    let most = 0;
    const look = () => {
      most = Math.max(most, descriptors(pid));
    };
    const works = async () => {
      const from = client.here;
      await client.command({ type: "start_process", name: "one" });
      await client.untilState("one", "started", from);
      await client.ask({ type: "reload_config" });
      const archive = await instance.fetch("/save-all");
      expect([archive.status, (await archive.arrayBuffer()).byteLength > 0]).toEqual([200, true]);
      await client.command({ type: "stop_process", name: "one" });
      await client.untilState("one", "stopped", from);
      look();
    };

    const crowd = new Crowd();
    const bus = new URL(readFileSync(join(instance.stateDir, "bus.url"), "utf8").trim());
    const page = new URL(instance.url);
    // More than the limit leaves room for, or than the listener ever takes.
    const count = Math.min(limit + 200, 1_800);
    await crowd.fill(count, () => connect(Number(bus.port), "127.0.0.1"), look);
    await crowd.fill(count, () => connect(Number(page.port), "127.0.0.1"), look);
    await works();
    const { socket } = JSON.parse(instance.read("state/manager.lock")) as { socket: string };
    await crowd.fill(count, () => connect(socket), look);
    await works();
    expect(most).toBeGreaterThan(before + 32);
    expect(most).toBeLessThan(limit - 16);
    expect([instance.pidOf("manager"), instance.pidOf("daemon")]).toEqual([pid, daemon]);

    await crowd.leave();
    await eventually("descriptors are where they were", () => descriptors(pid) <= before + 4);
    expect(client.ws.readyState).toBe(client.ws.OPEN);
    expect((await instance.mgr("log", "--json")).stdout).not.toContain("EMFILE");
  },
);
