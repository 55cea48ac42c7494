import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { permissionsOf } from "../../../src/bus/broker/permissions.ts";
import { NatsServer } from "../../support/nats/nats-server.ts";
import { Tcp } from "../carriers.ts";

const run = promisify(execFile);
const SOURCE = fileURLToPath(new URL("../../fixtures/nats-client.c", import.meta.url));

describe("an independent client, in C", () => {
  let folder = "";
  const program = () => join(folder, "client");
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "mgr-c-"));
    await run("gcc", ["-O1", "-Wall", "-Wno-unused-parameter", "-o", program(), SOURCE, "-lnats"]);
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  it("works with the embedded broker, at the address that processes get", async () => {
    await using tcp = new Tcp(false, [["a-client-token", permissionsOf({ kind: "client", name: "c" })]]);
    await tcp.begin();
    const { stdout, stderr } = await run(program(), [`nats://a-client-token@127.0.0.1:${tcp.port}`]);
    expect({ stdout, stderr }).toEqual({ stdout: "ok\n", stderr: "" });
  });

  it("gets the same results from nats-server", async () => {
    await using server = await NatsServer.start(
      'authorization {users: [{user: c, password: p, permissions: {publish: ">", subscribe: {deny: "mgr.host.>"}}}]}',
    );
    const { stdout, stderr } = await run(program(), [`nats://c:p@127.0.0.1:${server.port}`]);
    expect({ stdout, stderr }).toEqual({ stdout: "ok\n", stderr: "" });
  });

  it("is refused with an unknown token", async () => {
    await using tcp = new Tcp();
    await tcp.begin();
    await expect(run(program(), [`nats://wrong@127.0.0.1:${tcp.port}`])).rejects.toMatchObject({
      stderr: expect.stringMatching(/^connect: .*(authorization|authentication)/i),
    });
  });
});
