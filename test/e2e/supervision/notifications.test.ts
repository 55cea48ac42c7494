import { writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runDocument } from "../support/document-commands.ts";
import { Instance } from "../support/instance.ts";
import { TerminalSession } from "../support/terminal.ts";
import { eventually } from "../support/wait.ts";

interface Post {
  readonly key: string;
  readonly items: { process: string | null; kind: string; status: string }[];
}

/** A receiver of webhooks, which answers as the test says. */
class Receiver implements AsyncDisposable {
  readonly posts: Post[] = [];
  answer: (response: ServerResponse) => void = (response) => response.end();
  readonly #server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    expect(request.headers["idempotency-key"]).toBe(JSON.parse(body).key);
    this.posts.push(JSON.parse(body));
    this.answer(response);
  });

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`;
  }

  /** The received items, each notification once, as "status kind process". */
  get told(): string[] {
    const byKey = new Map(this.posts.map(({ key, items }) => [key, items]));
    return [...byKey.values()].flatMap((items) => items.map(({ status, kind, process }) => `${status} ${kind} ${process}`)).sort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

const FAILS = "test -e fixed && exec sleep 1000; exit 3";
const configuration = (url: string, group_wait: string) => ({
  notifications: {
    ways: { team: { webhook: { url } }, screen: { browser: {} }, terminals: { bell: {} } },
    rules: [
      { name: "all", ways: ["team", "screen"], processes: ["sim"], group_wait },
      { name: "tagged", ways: ["screen"], tags: ["critical"], for: "1h" },
    ],
  },
  processes: {
    "sim/a": { command: FAILS, shell: true, tags: ["critical"] },
    "sim/b": { command: FAILS, shell: true },
    other: { command: "false" },
  },
});

test("no notification is lost or told twice when the manager is killed before, during and after its delivery", async () => {
  await using receiver = new Receiver();
  const url = await receiver.listen();
  await using instance = new Instance(configuration(url, "0s"));
  const restarted = async () => {
    instance.kill("manager");
    await eventually("the manager is dead", () => instance.pidOf("manager") === null);
    await instance.mgr("up", "--detach");
    return instance.connect();
  };
  const failed = async (name: string) => {
    await instance.run("start", name);
    await eventually(`${name} has failed`, async () => (await (await instance.connect()).process(name)).state === "error");
  };

  // During its delivery: the receiver has it, and the manager does not know.
  receiver.answer = () => undefined;
  await instance.mgr("up", "--detach");
  await failed("sim/a");
  await failed("other");
  await eventually("the first attempt", () => receiver.posts.length === 1);
  // Once: how late this test looks must not count.
  receiver.answer = (response) => {
    receiver.answer = (next) => next.end("got it");
    response.writeHead(503).end("not yet");
  };
  let client = await restarted();
  await eventually("the attempt is repeated", () => receiver.posts.length >= 2);
  await eventually("the receiver has accepted it", async () => {
    const { deliveries } = await client.ask({ type: "request_notifications" });
    return (deliveries as { way: string; state: string; attempts: number }[]).some(
      ({ way, state, attempts }) => way === "team" && state === "sent" && attempts === 2,
    );
  });
  expect(new Set(receiver.posts.map(({ key }) => key)).size).toBe(1);
  expect(receiver.told).toEqual(["raised failed sim/a"]);

  // Before its delivery: it waits for others of its group.
  instance.write(configuration(url, "3s"));
  expect(await client.ask({ type: "reload_config" })).toMatchObject({ ok: true });
  await failed("sim/b");
  client = await restarted();
  await eventually("what was not sent yet is sent", () => receiver.told.length === 2);
  expect(receiver.told).toEqual(["raised failed sim/a", "raised failed sim/b"]);

  // After its delivery: it is not told again, and a silence holds.
  expect((await instance.mgr("silence", "sim/b", "--for", "1h", "--reason", "known")).stdout).toMatch(/^\w{8}: sim\/b is silenced until /);
  client = await restarted();
  await eventually("the conditions are known again", async () => {
    const { rules } = await client.ask({ type: "request_notifications" });
    return (rules as { matches: { process: string; state: string }[] }[])[0]?.matches.some(
      ({ process, state }) => process === "sim/b" && state === "silenced",
    );
  });
  expect((await instance.mgr("notifications")).stdout).toMatch(/all +failed +notified .* process sim\/a failed: exited with code 3/);
  expect((await instance.mgr("notifications")).stdout).toMatch(/tagged +failed +counts at /);
  const all = JSON.parse((await instance.mgr("notifications", "--json")).stdout) as object;
  expect(Object.keys(all)).toEqual(["ways", "rules", "silences", "deliveries"]);
  expect((await instance.mgr("notifications", "--history")).stdout).toMatch(/all +team +sent at attempt 2 +\[e2e\] Problem: sim\/a/);
  writeFileSync(join(instance.dir, "fixed"), "");
  for (const name of ["sim/a", "sim/b"]) await instance.mgr("start", name);
  await eventually("the recovery of what is not silenced is sent", () => receiver.told.length === 3);
  expect(receiver.told).toEqual(["raised failed sim/a", "raised failed sim/b", "recovered failed sim/a"]);

  const commands = await runDocument(instance, "docs/notifications.md");
  expect(commands.map(({ line, code, stderr }) => [line, code, stderr])).toEqual([
    ["mgr notifications", 0, ""],
    ["mgr notifications --history", 0, ""],
    ["mgr notifications test screen", 0, ""],
    ['mgr silence sim --for 2h --reason "new camera"', 0, ""],
    ["mgr silence list", 0, ""],
  ]);
  expect(commands.at(-1)?.stdout).toMatch(/sim\/b .*known\n.*sim .*new camera/s);
  const [first] = JSON.parse((await instance.mgr("silence", "list", "--json")).stdout) as { id: string }[];
  expect((await instance.mgr("silence", "remove", first?.id ?? "")).stdout).toBe(`${first?.id}: ended\n`);
  expect((await instance.run("silence", "sim")).code).toBe(2);
  expect((await instance.run("silence", "remove", "nothing")).code).toBe(3);
  using terminal = new TerminalSession(["top", "-c", instance.config], { rows: 24, cols: 80 });
  let bells = 0;
  terminal.screen.onBell(() => bells++);
  await terminal.untilShown(/sim\/a/);
  await instance.mgr("notifications", "test", "terminals");
  await eventually("the bell rings", () => bells === 1);
  terminal.type("q");
  await terminal.ended;
  receiver.answer = (response) => response.writeHead(410).end("gone");
  const refused = await instance.run("notifications", "test", "team");
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("410: gone") });
}, 480_000);
