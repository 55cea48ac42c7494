import { BehaviorSubject, NEVER } from "rxjs";
import { afterEach, describe, expect, it, vi } from "vitest";
import { WebSocketServer } from "ws";
import { connect as connectFromPage } from "../../src/client/browser.ts";
import type { ManagerLink, ManagerLinkState } from "../../src/client/link/manager-link.ts";
import { ManagerClient } from "../../src/client/manager-client.ts";
import { connect } from "../../src/client/node.ts";
import type { ClientFrame } from "../../src/protocol/frames/frames.ts";

// What programs without types do wrong, and what stands at an address that is no manager.

/** A link to a manager that never answers. */
function silence(): ManagerClient {
  const link: ManagerLink = {
    frames$: NEVER,
    state$: new BehaviorSubject<ManagerLinkState>({ kind: "open" }),
    isFull: false,
    send: (frame) => JSON.stringify(frame) !== "",
    close: () => {},
  };
  return new ManagerClient(link);
}

const refused = (message: string) => ({ name: "MgrError", code: "bad_field", message: expect.stringContaining(message) });

describe("a wait", () => {
  const a = silence().process("a");

  it.each([
    ["a state that there is not", () => a.waitFor("running" as never), "there is no state 'running'; it must be one of stopped, waiting"],
    [
      "no state",
      () =>
        silence()
          .group("g")
          .waitFor(undefined as never),
      "there is no state undefined",
    ],
    ["text instead of an expression", () => a.waitForOutput("ready" as never), "found 'ready'"],
    ["no expression", () => a.waitForOutput(null as never), "found null"],
    ["an endless time-out", () => a.start({ timeout: Number.POSITIVE_INFINITY }), "'timeout' of a wait must be a number of milliseconds"],
    ["a time-out in words", () => a.stop({ timeout: "5s" as never }), "found '5s'"],
    ["no number", () => a.waitFor("ready", { timeout: Number.NaN }), "found NaN"],
    ["a time-out beyond timers", () => a.waitFor("ready", { timeout: 2 ** 31 }), "2147483647"],
    ["no signal", () => a.waitFor("ready", { signal: "x" as never }), "the option 'signal' of a wait must be"],
    [
      "an option that there is not",
      () => a.waitFor("ready", { timeut: 5 } as never),
      "a wait has no option 'timeut'; did you mean 'timeout'?",
    ],
    ["no options", () => a.waitFor("ready", 5 as never), "the options of a wait must be an object, found 5"],
  ])("with %s rejects at once and names it", async (_what, wait, message) => {
    await expect(wait()).rejects.toMatchObject(refused(message));
  });

  it("shares one listener of a signal with any number of others, and leaves none", async () => {
    const warnings: unknown[] = [];
    const warned = (warning: unknown) => warnings.push(warning);
    process.on("warning", warned);
    const abort = new AbortController();
    const added = vi.spyOn(abort.signal, "addEventListener");
    const removed = vi.spyOn(abort.signal, "removeEventListener");
    const waits = Promise.allSettled(Array.from({ length: 50 }, () => a.waitFor("ready", { signal: abort.signal })));
    await Promise.resolve();
    expect(added).toHaveBeenCalledTimes(1);
    abort.abort(new Error("enough"));
    for (const end of await waits) expect(end).toMatchObject({ status: "rejected", reason: { message: "enough" } });
    expect(removed).toHaveBeenCalledTimes(1);
    // Warnings come in a turn of their own.
    await new Promise((resolve) => setImmediate(resolve));
    process.off("warning", warned);
    expect(warnings).toEqual([]);
  });
});

it("a request that is not JSON rejects and is not kept", async () => {
  const client = silence();
  const circular: Record<string, unknown> = { type: "get_snapshot" };
  circular.self = circular;
  for (let n = 0; n < 40; n++)
    await expect(client.request(circular as unknown as ClientFrame)).rejects.toMatchObject(refused("cannot be written as JSON"));
});

describe.each([
  ["Node", connect],
  ["a page", connectFromPage],
])("connect in %s", (_where, dial) => {
  it.each([
    ["localhost:8130", {}, "looks like http://localhost:8130, found 'localhost:8130'"],
    ["bench", {}, "found 'bench'"],
    [undefined as never, {}, "found undefined"],
    ["ftp://bench", {}, "found 'ftp://bench'"],
    ["http://localhost:1", { pasword: "x" }, "connect has no option 'pasword'; did you mean 'password'?"],
    ["http://localhost:1", { view: { single_proces: "a" } }, "a view has no option 'single_proces'; did you mean 'single_process'?"],
    ["http://localhost:1", { view: { log_only: false } }, "'log_only' of a view must be true, found false"],
    ["http://localhost:1", { retry: { first: 0, max: 0 } }, "'retry' of connect must be false, or {first, max}"],
    ["http://localhost:1", { retry: true }, "found true"],
  ] as const)("to %s with %j names what is wrong", async (url, options, message) => {
    await expect(dial(url, options as never)).rejects.toMatchObject(refused(message));
  });
});

describe("a server that is not a manager", () => {
  const servers: WebSocketServer[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) {
      for (const socket of server.clients) socket.terminate();
      server.close();
    }
  });

  async function answering(text: string) {
    const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
    servers.push(server);
    await new Promise((resolve) => server.once("listening", resolve));
    server.on("connection", (socket) =>
      socket.on("message", (data) => {
        const { request_id } = JSON.parse(String(data)) as { request_id: number };
        socket.send(text.replace("ID", String(request_id)));
      }),
    );
    const { port } = server.address() as { port: number };
    return connect(`http://127.0.0.1:${port}`, { retry: false });
  }

  it.each([
    '{"type":"snapshot","request_id":ID}',
    '{"type":"snapshot","processes":null,"host_list":[],"process_tree":[],"request_id":ID}',
    '{"type":"snapshot","processes":[null],"host_list":[],"process_tree":[],"request_id":ID}',
    '{"type":"snapshot","processes":[],"host_list":[{"name":3}],"process_tree":[],"request_id":ID}',
    '{"type":"snapshot","processes":[],"host_list":[],"process_tree":[{"type":"group","name":"g"}],"request_id":ID}',
    '{"type":"process_upsert","process":null}',
    '{"type":"process_remove"}',
    '{"type":"process_tree"}',
    '{"type":"host_upsert","host":{"name":"h"}}',
    '{"type":"log_batch","entries":3}',
    '{"type":"loggers_snapshot","loggers":[null]}',
    '{"type":"process_output","name":"a","output":5,"offset":1}',
    '{"type":"process_output_snapshot","name":"a","request_id":ID}',
    '{"type":7}',
    "[]",
    "null",
    "",
    "[".repeat(100_000),
  ])("is reported as such, and does not harm this program: %.80s", async (text) => {
    const client = await answering(text);
    client.log$.subscribe();
    client.process("a").output$.subscribe();
    const wait = client.process("a").waitFor("ready");
    await expect(wait).rejects.toMatchObject({
      code: "host_unavailable",
      message: expect.stringContaining("does not speak the manager's protocol"),
    });
    await expect(client.host("h").get()).rejects.toMatchObject({ code: "host_unavailable" });
  });
});
