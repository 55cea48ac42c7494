import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { EmailWay } from "../../../../src/features/notifications/config-ways.ts";
import { sendCommand } from "../../../../src/features/notifications/manager/deliveries/command.ts";
import { sendEmail } from "../../../../src/features/notifications/manager/deliveries/email.ts";
import { EXAMPLE } from "../example-notification.ts";

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "mgr-ways-"));
});
afterEach(() => rmSync(base, { recursive: true }));

const request = () => ({ notification: EXAMPLE, instance: "bench", base, signal: new AbortController().signal });
const mail = (port: number, more: Partial<EmailWay> = {}) =>
  sendEmail({
    ...request(),
    way: {
      host: "127.0.0.1",
      port,
      security: "none",
      user: null,
      password: null,
      from: "mgr@lab.example",
      to: ["ada@lab.example", "bob@lab.example"],
      timeout: 60_000,
      ...more,
    },
  });

/** A mail server that keeps what it gets. */
async function withServer<T>(options: SMTPServerOptions, use: (port: number, mails: string[]) => Promise<T>): Promise<T> {
  const mails: string[] = [];
  const server = new SMTPServer({
    disabledCommands: ["STARTTLS"],
    authOptional: true,
    onData(stream, _session, done) {
      let text = "";
      stream.on("data", (chunk: Buffer) => {
        text += chunk.toString();
      });
      stream.on("end", () => {
        mails.push(text);
        done();
      });
    },
    ...options,
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.server.address();
  try {
    return await use(typeof address === "object" && address !== null ? address.port : 0, mails);
  } finally {
    await new Promise<void>((resolve) => server.close(() => resolve()));
  }
}

test("a mail has the title as subject, the lines as text, and the key of the notification in its Message-ID", async () => {
  await withServer({}, async (port, mails) => {
    expect(await mail(port)).toMatchObject({ kind: "sent", text: expect.stringMatching(/^250/) });
    const [text = ""] = mails;
    expect(text).toContain(`Message-ID: <${EXAMPLE.key}@lab.example>`);
    expect(text).toContain("Subject: [bench] 2 problems, 1 over");
    expect(text).toContain("To: ada@lab.example, bob@lab.example");
    expect(text).toContain("Auto-Submitted: auto-generated");
    expect(text).toContain("- Still: host robot-2 does not answer");
  });
});

test("a login takes the password from a file, and a refused one shows no password and is tried again", async () => {
  writeFileSync(join(base, "password"), "s3cret\n", { mode: 0o600 });
  const password = { file: "password", env: null };
  const options: SMTPServerOptions = {
    authOptional: false,
    allowInsecureAuth: true,
    onAuth: ({ username, password: given }, _session, done) =>
      username === "mgr" && given === "s3cret" ? done(null, { user: username }) : done(new Error(`no login for ${given}`)),
  };
  await withServer(options, async (port, mails) => {
    expect(await mail(port, { user: "mgr", password })).toMatchObject({ kind: "sent" });
    expect(mails).toHaveLength(1);
    const refused = await mail(port, { user: "other", password });
    expect(refused).toMatchObject({ kind: "again", text: expect.stringContaining("no login for ***") });
  });
});

test("an address that the server refuses for good is not tried again; a full mailbox is", async () => {
  const refusing = (code: number): SMTPServerOptions => ({
    onRcptTo: (_address, _session, done) => done(Object.assign(new Error("not here"), { responseCode: code })),
  });
  await withServer(refusing(550), async (port) => expect(await mail(port)).toMatchObject({ kind: "refused" }));
  await withServer(refusing(452), async (port) => expect(await mail(port)).toMatchObject({ kind: "again" }));
});

test("plain text is not sent where starttls is configured, and a silent server is left after the time-out", async () => {
  await withServer({}, async (port, mails) => {
    expect(await mail(port, { security: "starttls" })).toMatchObject({ kind: "again" });
    expect(mails).toEqual([]);
  });
  const silent = createServer();
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const address = silent.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  expect(await mail(port, { timeout: 200 })).toMatchObject({ kind: "again" });
  await new Promise((resolve) => silent.close(resolve));
});

const command = (run: string[], timeout = 60_000) => sendCommand({ ...request(), way: { run, timeout } });

test("a command gets the notification on stdin, in the folder of the configuration, without a shell", async () => {
  const script = 'require("fs").writeFileSync("got", process.argv[1] + process.env.MGR_NOTIFICATION_KEY + require("fs").readFileSync(0))';
  expect(await command([process.execPath, "-e", script, "$HOME;x"])).toEqual({ kind: "sent", text: "exited with code 0" });
  const got = readFileSync(join(base, "got"), "utf8");
  expect(got.startsWith(`$HOME;x${EXAMPLE.key}{"instance":"bench"`)).toBe(true);
  expect(JSON.parse(got.slice(got.indexOf("{")))).toEqual({ instance: "bench", ...EXAMPLE });
});

test("a command that fails is tried again with its last error line, and one that does not exist says so", async () => {
  expect(await command(["sh", "-c", "cat >/dev/null; echo first >&2; printf 'no \\033[31mroute\\n' >&2; exit 4"])).toEqual({
    kind: "again",
    text: "exited with code 4: no \\x1b[31mroute",
  });
  expect(await command(["./missing"])).toMatchObject({ kind: "again", text: expect.stringContaining("it could not be run: ") });
});

test("a command that hangs is killed with the processes that it started", async () => {
  const run = ["sh", "-c", "sleep 1000 & echo $! >child; echo ready >ready; wait"];
  // Until the shell has begun its child before it is killed.
  for (let seconds = 1; !existsSync(join(base, "ready")); seconds *= 2)
    expect(await command(run, seconds * 1_000)).toMatchObject({ kind: "again", text: expect.stringMatching(`^killed after ${seconds} s`) });
  const child = Number(readFileSync(join(base, "child"), "utf8"));
  await expect.poll(() => isAlive(child)).toBe(false);
});

/** A zombie counts as ended: its new parent will reap it. */
function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}
