import { once } from "node:events";
import { linkSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { WebSocketServer } from "ws";
import { saveAll } from "../../src/cli/commands/setup/save-all.ts";
import { connectManager } from "../../src/cli/manager/connection.ts";
import { findTarget } from "../../src/cli/manager/connection-target.ts";
import { acquireLock } from "../../src/daemon/session/lock.ts";
import { makeCertificate } from "../http/certificates.ts";

let dir: string;
let config: string;

/** Writes a file of the instance and returns its path. */
function file(name: string, content: string): string {
  const path = join(dir, name);
  writeFileSync(path, content, { mode: 0o600 });
  return path;
}

function configure(instance: Record<string, unknown> = {}): string {
  return file(
    "mgr.yaml",
    JSON.stringify({
      instance: { name: "t", state_dir: dir, webui_auth_file: "auth", manager: "localhost:8130", ...instance },
      processes: {},
    }),
  );
}

async function listening(server: http.Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "mgr-connection-"));
  for (const name of ["MGR_URL", "MGR_USER", "MGR_PASSWORD_FILE", "MGR_CA_FILE", "MGR_WEBUI_AUTH_FILE", "MGR_TOKEN_FILE", "MGR_TOKEN"])
    vi.stubEnv(name, undefined);
  config = configure();
  file("auth", "# users\nada first password\nbob second\n");
  file("manager.url", "http://localhost:4711\n");
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(dir, { recursive: true });
});

const HASH = "$scrypt$ln=14,r=8,p=1$c2FsdHNhbHRzYWx0c2FsdA$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g";
const failure = (exitCode: number, words: string) => expect.objectContaining({ exitCode, message: expect.stringContaining(words) });

/** A manager as far as the commands look for one: it holds the lock, and listens beside the socket of the lock file. */
async function running(): Promise<AsyncDisposable & { socket: string }> {
  const lock = await acquireLock(join(dir, "manager.lock"), {
    instance_uuid: "00000000-0000-4000-8000-000000000000",
    contract: 1,
    socket: join(dir, "bus.sock"),
  });
  if ("holder" in lock) throw new Error("somebody else has the lock");
  const socket = join(dir, "control.sock");
  const server = createServer((connection) => connection.destroy()).listen(socket);
  await once(server, "listening");
  return {
    socket,
    async [Symbol.asyncDispose]() {
      lock.release();
      server.close();
      await once(server, "close");
    },
  };
}

describe("a command without address and credentials", () => {
  it("uses the socket of the manager that runs here, whatever the auth file says", async () => {
    await using manager = await running();
    const target = { url: "http://localhost", socket: manager.socket, dial: expect.any(Function) };
    expect(await findTarget({ config })).toEqual(target);
    rmSync(join(dir, "auth"));
    expect(await findTarget({ config })).toEqual(target);
    config = configure({ webui_auth_file: undefined });
    expect(await findTarget({ config })).toEqual(target);
  });

  it("uses the port if a web user is named", async () => {
    await using _manager = await running();
    expect(await findTarget({ config, user: "bob" })).toMatchObject({ url: "http://localhost:4711", user: "bob", password: "second" });
    expect(await findTarget({ config, url: "http://elsewhere:1" })).toMatchObject({ url: "http://elsewhere:1", user: "ada" });
  });

  it("tries the port as the first web user if no manager runs here: it may run elsewhere", async () => {
    expect(await findTarget({ config })).toMatchObject({ url: "http://localhost:4711", user: "ada", password: "first password" });
    rmSync(join(dir, "auth"));
    await expect(findTarget({ config })).rejects.toEqual(failure(1, `'t' is not running. Start it with: mgr up -c ${config}`));
    config = configure({ webui_auth_file: undefined });
    await expect(findTarget({ config })).rejects.toEqual(failure(1, "'t' is not running"));
  });

  it("treats a manager that was killed and has left its socket as not running", async () => {
    const manager = await running();
    const left = join(dir, "left.sock");
    linkSync(manager.socket, left);
    await manager[Symbol.asyncDispose]();
    linkSync(left, manager.socket);
    expect(await findTarget({ config })).not.toHaveProperty("socket");
  });
});

describe("credentials of the port", () => {
  it("with a user alone are that entry's", async () => {
    expect(await findTarget({ config, user: "bob" })).toMatchObject({ user: "bob", password: "second" });
    vi.stubEnv("MGR_USER", "bob");
    expect(await findTarget({ config })).toMatchObject({ user: "bob", password: "second" });
    expect(await findTarget({ config, user: "ada" })).toMatchObject({ user: "ada" });
    await expect(findTarget({ config, user: "eve" })).rejects.toEqual(failure(3, "no user 'eve'"));
  });

  it("with a password file are its first line and the user, by default the first entry's", async () => {
    const passwordFile = file("password", "from the file\r\nsecond line");
    expect(await findTarget({ config, user: "bob", passwordFile })).toMatchObject({ user: "bob", password: "from the file" });
    vi.stubEnv("MGR_PASSWORD_FILE", passwordFile);
    expect(await findTarget({ config })).toMatchObject({ user: "ada", password: "from the file" });
    await expect(findTarget({ config, passwordFile: join(dir, "none") })).rejects.toEqual(failure(1, "cannot read the password file"));
  });

  it("with an access token are the token alone; an option wins over the environment, and a file over MGR_TOKEN", async () => {
    await using _manager = await running();
    const port = { url: "http://localhost:4711" };
    vi.stubEnv("MGR_TOKEN", "mgr_of_the_environment");
    expect(await findTarget({ config })).toEqual({ ...port, token: "mgr_of_the_environment", absent: expect.any(String) });
    vi.stubEnv("MGR_USER", "bob");
    vi.stubEnv("MGR_TOKEN_FILE", file("token", "mgr_of_a_file\n"));
    expect(await findTarget({ config })).toEqual({ ...port, token: "mgr_of_a_file", absent: expect.any(String) });
    const tokenFile = file("other", "mgr_of_an_option");
    expect(await findTarget({ config: "none", url: "http://elsewhere:1", tokenFile })).toMatchObject({ token: "mgr_of_an_option" });
    expect(await findTarget({ config, user: "ada" })).toMatchObject({ user: "ada", password: "first password" });
    await expect(findTarget({ config, user: "ada", tokenFile })).rejects.toEqual(failure(2, "either an access token, or a user"));
    await expect(findTarget({ config, tokenFile: join(dir, "none") })).rejects.toEqual(failure(1, "cannot read the token file"));
  });

  it("are unknown if the file has only their hash", async () => {
    file("auth", `ada ${HASH}\nbob second\n`);
    await expect(findTarget({ config, user: "ada" })).rejects.toEqual(failure(1, "only a hash of ada's password"));
    expect(await findTarget({ config, user: "bob" })).toMatchObject({ password: "second" });
  });

  it("come from the file that MGR_WEBUI_AUTH_FILE names, if it names one; with --url no configuration is needed then", async () => {
    vi.stubEnv("MGR_WEBUI_AUTH_FILE", file("other", "eve third"));
    expect(await findTarget({ config, user: "eve" })).toMatchObject({ user: "eve", password: "third" });
    const target = { url: "http://elsewhere:1", user: "eve", password: "third" };
    expect(await findTarget({ config: "/no/such.yaml", url: "http://elsewhere:1" })).toMatchObject(target);
    vi.stubEnv("MGR_WEBUI_AUTH_FILE", "");
    expect(await findTarget({ config, user: "ada" })).toMatchObject({ user: "ada" });
  });

  it("that are not available are reported", async () => {
    const url = "http://localhost:1";
    file("auth", "# nobody\n");
    await expect(findTarget({ config, url })).rejects.toEqual(failure(3, "has no user"));
    rmSync(join(dir, "auth"));
    await expect(findTarget({ config, url })).rejects.toEqual(failure(1, "cannot read the auth file"));
    config = configure({ webui_auth_file: undefined });
    await expect(findTarget({ config, url })).rejects.toEqual(failure(1, "no auth file is configured"));
  });
});

describe("the address of the port", () => {
  it("is what the running manager wrote down, else the configured one", async () => {
    rmSync(join(dir, "manager.url"));
    expect(await findTarget({ config, user: "ada" })).toMatchObject({ url: "http://localhost:8130" });
    config = configure({ manager: "[::1]:8131" });
    expect(await findTarget({ config, user: "ada" })).toMatchObject({ url: "http://[::1]:8131" });
  });

  it("given with user and password needs no configuration", async () => {
    vi.stubEnv("MGR_URL", "http://elsewhere:1");
    const passwordFile = file("password", "p");
    expect(await findTarget({ config: "/no/such.yaml", user: "u", passwordFile })).toMatchObject({
      url: "http://elsewhere:1",
      user: "u",
      password: "p",
    });
    await expect(findTarget({ config: "/no/such.yaml" })).rejects.toEqual(failure(2, "--password-file"));
    await expect(findTarget({ config: "/no/such.yaml" })).rejects.toEqual(failure(2, "mgr init -c /no/such.yaml"));
    expect(await findTarget({ config, url: "http://flag:2" })).toMatchObject({ url: "http://flag:2", user: "ada" });
  });

  it("cannot be determined without configuration and address", async () => {
    await expect(findTarget({ config: "/no/such.yaml" })).rejects.toEqual(failure(2, "--url"));
  });
});

describe("connecting", () => {
  it("reports how to start a manager if nothing answers", async () => {
    await expect(connectManager({ config, url: "http://127.0.0.1:1" })).rejects.toEqual(failure(1, "start it with: mgr up"));
    file("manager.url", "http://127.0.0.1:1\n");
    await expect(connectManager({ config })).rejects.toEqual(failure(1, `'t' is not running. Start it with: mgr up -c ${config}`));
  });

  it("reports a wrong password as a refused login", async () => {
    const server = http.createServer().on("upgrade", (_request, socket) => socket.end("HTTP/1.1 401 Unauthorized\r\n\r\nwrong password"));
    const url = await listening(server);
    const refused = connectManager({ config, url }).finally(() => server.close());
    await expect(refused).rejects.toEqual(failure(1, `${url}: login refused (401): wrong password`));
  });

  it("names a self-signed certificate, and trusts it with --ca-file", async () => {
    const { certFile, keyFile } = makeCertificate(dir, "bench");
    const server = https.createServer({ cert: readFileSync(certFile), key: readFileSync(keyFile) });
    new WebSocketServer({ server });
    const url = (await listening(server)).replace("http:", "https:");
    try {
      await expect(connectManager({ config, url })).rejects.toEqual(
        failure(1, "the certificate is self-signed and not trusted\nTo trust it"),
      );
      await expect(saveAll("-", { config, url })).rejects.toEqual(
        failure(1, "the certificate is self-signed and not trusted\nTo trust it"),
      );
      (await connectManager({ config, url, caFile: certFile })).close();
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  it("reports a value that is not an address as a usage error", async () => {
    await expect(connectManager({ config, url: "nonsense" })).rejects.toEqual(failure(2, "nonsense"));
  });
});
