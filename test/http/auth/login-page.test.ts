import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { get, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { GOOD, Rig, USER } from "../rig.ts";

const NAVIGATION = { "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
/** As browsers do to other machines over plain HTTP. */
const PLAIN_NAVIGATION = { "upgrade-insecure-requests": "1", accept: "text/html,application/xhtml+xml" };
let rig: Rig;

/** Not by fetch, which sets the Sec-Fetch headers itself. */
async function open(path: string, headers: Record<string, string> = {}) {
  const [response] = (await once(get(`${rig.server.localUrl}${path}`, { headers }), "response")) as [IncomingMessage];
  const text = (await response.setEncoding("utf8").toArray()).join("");
  return { status: response.statusCode, headers: response.headers, text };
}

beforeAll(async () => {
  rig = await Rig.start();
  // What a built page has.
  writeFileSync(join(rig.assetsDir, "login.html"), "<!doctype html><form>Log in</form>");
  writeFileSync(join(rig.assetsDir, "login.js"), "// logs in");
  await rig.close();
  await rig.listen();
});
afterAll(() => rig?.[Symbol.asyncDispose]());

describe("without a login", () => {
  test.each([
    ["/", NAVIGATION],
    ["/", PLAIN_NAVIGATION],
    ["/mgr/process-list?host=a", NAVIGATION],
    ["/?process=sim/world", NAVIGATION],
  ])("a browser that opens %s gets the challenge, with the login form as its body", async (path, sent) => {
    const { status, headers, text } = await open(path, sent);
    expect(status).toBe(401);
    expect(headers["content-type"]).toContain("text/html");
    expect(headers["www-authenticate"]).toBe('Basic realm="mgr", charset="UTF-8"');
    expect(headers["content-security-policy"]).toContain("script-src 'self'");
    expect(text).toContain("Log in");
    expect((await open("/login.js")).status).toBe(200);
  });

  test.each([
    ["a script", "/", {}],
    ["a page's request", "/", { "sec-fetch-mode": "cors", "sec-fetch-dest": "empty" }],
    ["a frame", "/", { "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe" }],
    ["a browser elsewhere", "/mgr/log", NAVIGATION],
    ["a browser that asks for the page's files", "/assets/index-abc.js", NAVIGATION],
  ])("%s gets the challenge, with a text", async (_, path, headers) => {
    const answer = await open(path, headers);
    expect(answer.status).toBe(401);
    expect(answer.headers["www-authenticate"]).toBe('Basic realm="mgr", charset="UTF-8"');
    expect(answer.headers["content-type"]).toContain("text/plain");
  });
});

test("the page says who is logged in, as text", async () => {
  rig.writeAuth(`${USER} right horse: battery\na"><b> secret\n`);
  expect((await open("/", { ...NAVIGATION, authorization: GOOD })).text).toContain(`<meta name="mgr-user" content="${USER}" />`);
  const odd = `Basic ${Buffer.from('a"><b>:secret').toString("base64")}`;
  expect((await open("/", { authorization: odd })).text).toContain('content="a&#34;&#62;&#60;b&#62;"');
});
