import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { connectManager, findWay } from "../../src/cli/connection.ts";

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

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "mgr-connection-"));
  for (const name of ["MGR_URL", "MGR_USER", "MGR_PASSWORD_FILE", "MGR_WEBUI_AUTH_FILE"]) vi.stubEnv(name, undefined);
  config = configure();
  file("auth", "# users\nada first password\nbob second\n");
  file("local.token", "token\n");
  file("manager.url", "http://localhost:4711\n");
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(dir, { recursive: true });
});

const HASH = "$scrypt$ln=14,r=8,p=1$c2FsdHNhbHRzYWx0c2FsdA$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g";
const failure = (exitCode: number, words: string) => expect.objectContaining({ exitCode, message: expect.stringContaining(words) });

describe("credentials", () => {
  it("with nothing given are those of the auth file's first entry", async () => {
    expect(await findWay({ config })).toEqual({ url: "http://localhost:4711", user: "ada", password: "first password" });
  });

  it("with a user alone are that entry's", async () => {
    expect(await findWay({ config, user: "bob" })).toMatchObject({ user: "bob", password: "second" });
    vi.stubEnv("MGR_USER", "bob");
    expect(await findWay({ config })).toMatchObject({ user: "bob", password: "second" });
    expect(await findWay({ config, user: "ada" })).toMatchObject({ user: "ada" });
    await expect(findWay({ config, user: "eve" })).rejects.toEqual(failure(3, "no user 'eve'"));
  });

  it("with a password file are its first line and the user, by default the first entry's", async () => {
    const passwordFile = file("password", "from the file\r\nsecond line");
    expect(await findWay({ config, user: "bob", passwordFile })).toMatchObject({ user: "bob", password: "from the file" });
    vi.stubEnv("MGR_PASSWORD_FILE", passwordFile);
    expect(await findWay({ config })).toMatchObject({ user: "ada", password: "from the file" });
    await expect(findWay({ config, passwordFile: join(dir, "none") })).rejects.toEqual(failure(1, "cannot read the password file"));
  });

  it("where the first entry is hashed are the manager's local token, which acts as that user", async () => {
    file("auth", `ada ${HASH}\nbob second\nflo ${HASH}\n`);
    expect(await findWay({ config })).toEqual({ url: "http://localhost:4711", token: "token" });
    expect(await findWay({ config, user: "ada" })).toMatchObject({ token: "token" });
    expect(await findWay({ config, user: "bob" })).toMatchObject({ password: "second" });
    // The token is not flo's.
    await expect(findWay({ config, user: "flo" })).rejects.toEqual(failure(1, "only a hash of flo's password"));
    rmSync(join(dir, "local.token"));
    await expect(findWay({ config })).rejects.toEqual(failure(1, "only a hash of ada's password"));
  });

  it("come from the file that MGR_WEBUI_AUTH_FILE names, if it names one", async () => {
    vi.stubEnv("MGR_WEBUI_AUTH_FILE", file("other", "eve third"));
    expect(await findWay({ config })).toMatchObject({ user: "eve", password: "third" });
    vi.stubEnv("MGR_WEBUI_AUTH_FILE", "");
    expect(await findWay({ config })).toMatchObject({ user: "ada" });
  });

  it("that cannot be had are told", async () => {
    file("auth", "# nobody\n");
    await expect(findWay({ config })).rejects.toEqual(failure(3, "has no user"));
    rmSync(join(dir, "auth"));
    await expect(findWay({ config })).rejects.toEqual(failure(1, "cannot read the auth file"));
    config = configure({ webui_auth_file: undefined });
    await expect(findWay({ config })).rejects.toEqual(failure(1, "no auth file is configured"));
  });
});

describe("the address", () => {
  it("is what the running manager wrote down, else the configured one", async () => {
    rmSync(join(dir, "manager.url"));
    expect(await findWay({ config })).toMatchObject({ url: "http://localhost:8130" });
    config = configure({ manager: "[::1]:8131" });
    expect(await findWay({ config })).toMatchObject({ url: "http://[::1]:8131" });
  });

  it("given with user and password needs no configuration", async () => {
    vi.stubEnv("MGR_URL", "http://elsewhere:1");
    const passwordFile = file("password", "p");
    expect(await findWay({ config: "/no/such.yaml", user: "u", passwordFile })).toEqual({
      url: "http://elsewhere:1",
      user: "u",
      password: "p",
    });
    await expect(findWay({ config: "/no/such.yaml" })).rejects.toEqual(failure(2, "--password-file"));
    expect(await findWay({ config, url: "http://flag:2" })).toMatchObject({ url: "http://flag:2", user: "ada" });
  });

  it("without configuration and address is a question", async () => {
    await expect(findWay({ config: "/no/such.yaml" })).rejects.toEqual(failure(2, "--url"));
  });
});

describe("connecting", () => {
  it("to nobody asks whether the manager runs", async () => {
    await expect(connectManager({ config, url: "http://127.0.0.1:1" })).rejects.toEqual(failure(1, "Start it with: mgr up"));
  });

  it("to what is no address is a usage error", async () => {
    await expect(connectManager({ config, url: "nonsense" })).rejects.toEqual(failure(2, "nonsense"));
  });
});
