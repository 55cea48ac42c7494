import { describe, expect, test } from "vitest";
import { isAllowedHost, isOwnOrigin, schemeOf } from "../../../src/http/access/host-check.ts";
import { parseAuthorization } from "../../../src/http/auth/authorization.ts";
import { Throttle } from "../../../src/http/auth/throttle.ts";
import { addressKey, formatAddress, isLoopback, remoteEnd } from "../../../src/http/request/remote-end.ts";
import { BAD, basic, GOOD, Rig, USER } from "../rig.ts";

describe("Authorization", () => {
  test.each([
    [null, { scheme: "none" }],
    [basic("ann", "a:b c"), { scheme: "basic", user: "ann", password: "a:b c" }],
    [basic("é", "密码"), { scheme: "basic", user: "é", password: "密码" }],
    [`basic  ${Buffer.from("é:é", "latin1").toString("base64")}`, { scheme: "basic", user: "é", password: "é" }],
    [basic("", ""), { scheme: "basic", user: "", password: "" }],
    ["Bearer abc", { scheme: "bearer", token: "abc" }],
    ["Basic", { scheme: "unusable" }],
    ["Basic !!", { scheme: "unusable" }],
    [`Basic ${Buffer.from("nocolon").toString("base64")}`, { scheme: "unusable" }],
    ["Digest username=ann", { scheme: "unusable" }],
  ])("%s", (header, expected) => expect(parseAuthorization(header)).toEqual(expected));

  test("tokens are for the bus alone", async () => {
    await using rig = await Rig.start();
    expect((await rig.get("/", { authorization: "Bearer x" })).status).toBe(401);
  });

  test("empty passwords and unknown users are refused", async () => {
    await using rig = await Rig.start();
    for (const authorization of [
      basic(USER, ""),
      basic("", ""),
      basic("nobody", "x"),
      basic("__proto__", "x"),
      basic(`${USER}\r\nX: 1`, "x"),
    ]) {
      expect((await rig.get("/", { authorization })).status).toBe(401);
    }
    expect(rig.logged.join("")).not.toMatch(/[\r\n]/);
  });
});

describe("Host and Origin", () => {
  const known = (name: string) => name === "bench.lab";
  test.each([
    ["localhost", true],
    ["LOCALHOST:8130", true],
    ["localhost.", true],
    ["127.0.0.1:8130", true],
    ["10.1.2.3", true],
    ["[::1]:8130", true],
    ["[2001:db8::1]", true],
    ["bench.lab:80", true],
    ["Bench.Lab.", true],
    ["evil.example", false],
    ["localhost.evil.example", false],
    ["127.0.0.1.evil.example", false],
    ["evil.localhost", false],
    ["2130706433", false],
    ["0x7f.1", false],
    ["localhost:8130:1", false],
    ["localhost@evil.example", false],
    ["[evil]", false],
    ["", false],
    [":8130", false],
    ["localhost, evil.example", false],
  ])("host %j: %s", (host, allowed) => expect(isAllowedHost(host, known)).toBe(allowed));

  test.each([
    ["http://localhost:8130", "http://localhost:8130", true],
    ["https://bench.lab", "https://bench.lab", true],
    ["http://bench.lab", "http://bench.lab:80", true],
    ["http://Localhost:8130", "http://localhost:8130", true],
    ["http://[::1]:8130", "http://[::1]:8130", true],
    ["https://localhost:8130", "http://localhost:8130", false],
    ["http://localhost:8130", "https://localhost:8130", false],
    ["http://bench.lab:443", "https://bench.lab", false],
    ["http://localhost:8131", "http://localhost:8130", false],
    ["http://localhost", "http://localhost:8130", false],
    ["http://127.0.0.1:8130", "http://localhost:8130", false],
    ["null", "http://localhost:8130", false],
    ["", "http://localhost:8130", false],
    ["file://localhost:8130", "http://localhost:8130", false],
    ["http://localhost:8130/", "http://localhost:8130", false],
    ["http://a@localhost:8130", "http://localhost:8130", false],
    ["http://localhost:8130.evil.example", "http://localhost:8130", false],
    ["http://[", "http://localhost:8130", false],
  ] as const)("origin %j at %j: %s", (origin, at, own) => {
    const [scheme, host] = at.split("://") as ["http" | "https", string];
    expect(isOwnOrigin(origin, scheme, host)).toBe(own);
  });

  test.each([
    [null, false, "http"],
    [null, true, "https"],
    ["https", false, "https"],
    ["HTTPS, http", false, "https"],
    ["http", true, "http"],
    ["gopher", true, "https"],
  ] as const)("X-Forwarded-Proto %j on a connection that is secure (%s): %s", (forwarded, isSecure, scheme) =>
    expect(schemeOf(forwarded, isSecure)).toBe(scheme),
  );

  test("the manager answers to its own names, those of its hosts, and those allowed by the configuration", async () => {
    await using rig = await Rig.start();
    const { connect } = await import("node:net");
    for (const [host, status] of [
      ["testhost", 200],
      ["BENCH.lab:1", 200],
      ["elsewhere", 403],
    ] as const) {
      const answer = await new Promise<string>((resolve) => {
        const socket = connect(rig.server.port, "127.0.0.1");
        socket.write(`GET /mgr/health HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
        socket.once("data", (chunk: Buffer) => {
          socket.destroy();
          resolve(chunk.toString());
        });
      });
      expect(answer, host).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    }
  });
});

describe("addresses", () => {
  test("IPv4 in IPv6 is IPv4; IPv6 is in brackets; loopback is all of 127/8 and ::1", () => {
    expect(formatAddress(remoteEnd({ remoteAddress: "::ffff:10.0.0.7", remotePort: 5 }))).toBe("10.0.0.7:5");
    expect(formatAddress(remoteEnd({ remoteAddress: "fe80::1", remotePort: 5 }))).toBe("[fe80::1]:5");
    const loopback = ["127.0.0.1", "127.9.9.9", "::ffff:127.0.0.1", "::1"];
    const others = ["10.0.0.1", "::", "1270.0.0.1", "", "::2"];
    expect([...loopback, ...others].filter((ip) => isLoopback(remoteEnd({ remoteAddress: ip })))).toEqual(loopback);
  });

  test("failures of one IPv6 network count together", () => {
    const key = (ip: string) => addressKey({ ip, port: 1, isSecure: false, localUser: null });
    expect(key("2001:db8:1:2:3:4:5:6")).toBe(key("2001:db8:1:2::9"));
    expect(key("2001:db8:1:2::9")).not.toBe(key("2001:db8:1:3::9"));
    expect(key("::1")).toBe("0:0:0:0");
    expect(key("10.0.0.1")).toBe("10.0.0.1");
  });
});

describe("guessing is slowed down", () => {
  test("after 30 failures each further one doubles the wait, up to a minute; a quiet time or a success resets it", () => {
    let now = 0;
    const throttle = new Throttle(() => now);
    const waits: number[] = [];
    for (let index = 0; index < 40; index++) {
      throttle.failed(["user ann"]);
      waits.push(throttle.wait(["address x", "user ann"]));
    }
    expect(waits.slice(0, 29).every((wait) => wait === 0)).toBe(true);
    expect(waits.slice(29)).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60, 60, 60]);
    now += 59_500;
    expect(throttle.wait(["user ann"])).toBe(1);
    now += 500;
    expect(throttle.wait(["user ann"])).toBe(0);
    throttle.succeeded(["user ann"]);
    throttle.failed(["user ann"]);
    expect(throttle.wait(["user ann"])).toBe(0);
  });

  test("429 with Retry-After also for the right password; cookies continue to work", async () => {
    await using rig = await Rig.start();
    const cookie = await rig.cookie();
    for (let index = 0; index < 30; index++) expect((await rig.get("/", { authorization: BAD })).status).toBe(401);
    const throttled = await rig.get("/", { authorization: GOOD });
    expect(throttled.status).toBe(429);
    expect(Number(throttled.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    expect((await rig.get("/", { cookie })).status).toBe(200);
  });
});
