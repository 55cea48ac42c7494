import fc from "fast-check";
import { expect, it } from "vitest";
import { ADMIN_GRANTS } from "../../src/base/access/access.ts";
import { CLIENT_FRAMES, type ClientFrameType, MANAGER_FRAMES } from "../../src/protocol/frames/frames.ts";
import { Connection } from "../../src/transport/connection.ts";
import type { RequestedView } from "../../src/transport/view.ts";
import { anyText } from "../support/any-text.ts";
import { connectionServices } from "../support/fakes/connection-services.ts";
import { FakeControl } from "../support/fakes/fake-control.ts";

interface Answer {
  type: keyof typeof MANAGER_FRAMES;
  code?: string;
  request_id?: unknown;
}

/** A connection whose socket takes everything at once. */
function open(view: RequestedView) {
  const control = new FakeControl(["sim/world", "db"]);
  const services = connectionServices(control);
  const texts: string[] = [];
  const socket = {
    send(data: Buffer, _options: unknown, done: () => void) {
      texts.push(String(data));
      setImmediate(done);
    },
    bufferedAmount: 0,
    cork() {},
    uncork() {},
  };
  const observer = { congested() {}, progress() {}, drained() {}, overflow() {} };
  const principal = { user: "ada", via: "basic", address: "127.0.0.1:1", grants: ADMIN_GRANTS } as const;
  const connection = new Connection(services, { socket, observer, principal, client: null, view });
  return {
    control,
    async ask(text: string): Promise<Answer[]> {
      texts.length = 0;
      connection.receive(text);
      // An answer may take a few turns: the request line waits for the socket, backlogs are promises.
      for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
      return texts.map((sent) => JSON.parse(sent) as Answer);
    },
    close() {
      connection.close();
      services.hub.close();
    },
  };
}

const plausible = fc.constantFrom<unknown>(
  "db",
  "sim",
  "sim/world",
  "nobody",
  "__proto__",
  "SIGHUP",
  "info",
  1,
  24,
  100_001,
  true,
  null,
  ["*"],
  ["db", "["],
);
const value = fc.oneof({ weight: 3, arbitrary: plausible }, { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) });

const views: RequestedView[] = [
  { kind: "full" },
  { kind: "single_process", name: "db" },
  { kind: "single_group", name: "sim" },
  { kind: "log_only" },
];

it.each(Object.keys(CLIENT_FRAMES) as ClientFrameType[])(
  "%s: whatever its fields hold, it is answered once, by the frame of its row",
  async (type) => {
    const { answer, fields } = CLIENT_FRAMES[type];
    const connections = views.map(open);
    const property = fc.asyncProperty(
      fc.nat(3),
      fc.record(Object.fromEntries(Object.keys(fields).map((key) => [key, value])), { requiredKeys: [] }),
      async (view, given) => {
        const connection = connections[view];
        const answers = (await connection?.ask(JSON.stringify({ ...given, type, request_id: 7 }))) ?? [];
        const own = answers.filter((frame) => frame.request_id === 7);
        expect(own).toHaveLength(1);
        const [frame] = own;
        expect(["error", answer ?? "ack"]).toContain(frame?.type);
        expect(frame?.code).not.toBe("internal");
        for (const sent of answers) expect(MANAGER_FRAMES[sent.type].schema.safeParse(sent).error?.message).toBeUndefined();
      },
    );
    await fc.assert(property, { numRuns: 60 });
    for (const connection of connections) connection.close();
  },
);

it("any text at all is answered once and breaks nothing", async () => {
  const connection = open({ kind: "full" });
  const text = fc.oneof(
    anyText(),
    fc.json(),
    fc.constantFrom('{"type":"get_snapshot"', "null", '"x"', "[".repeat(100_000), `{"a":${"[".repeat(100_000)}`),
  );
  await fc.assert(
    fc.asyncProperty(text, async (sent) => {
      expect(await connection.ask(sent)).toMatchObject([{ type: "error" }]);
    }),
    { numRuns: 200 },
  );
  expect(connection.control.calls).toEqual([]);
  connection.close();
});
