import { describe, expect, it } from "vitest";
import { cookieIn, xauthorityOf } from "../../../../src/features/displays/x11/xauthority.ts";

interface Entry {
  family: number;
  address?: string | Buffer;
  number?: string;
  name?: string;
  cookie: string;
}

/** An Xauthority file. */
function file(...entries: Entry[]): Buffer {
  const field = (value: string | Buffer) => {
    const bytes = Buffer.from(value as string);
    return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 0xff]), bytes]);
  };
  return Buffer.concat(
    entries.flatMap(({ family, address = "", number = "", name = "MIT-MAGIC-COOKIE-1", cookie }) => [
      Buffer.from([family >> 8, family & 0xff]),
      ...[address, number, name, cookie].map(field),
    ]),
  );
}

const LOCAL = 256;
const here = { number: 5, hostName: "bench", ip: null };
const text = (data: Uint8Array | undefined) => data && Buffer.from(data).toString();

describe("the cookie of a display in an Xauthority file", () => {
  it("is found in a file that was written here", () => {
    const cookie = new Uint8Array(16).fill(7);
    expect(cookieIn(xauthorityOf(cookie), here)).toEqual({ name: "MIT-MAGIC-COOKIE-1", data: cookie });
  });

  it("is that of this machine and this display number", () => {
    const many = file(
      { family: LOCAL, address: "bench", number: "4", cookie: "other number" },
      { family: LOCAL, address: "elsewhere", number: "5", cookie: "other machine" },
      { family: LOCAL, address: "bench", number: "5", name: "XDM-AUTHORIZATION-1", cookie: "other method" },
      { family: 0, address: Buffer.from([10, 0, 0, 7]), number: "5", cookie: "by address" },
      { family: LOCAL, address: "bench", number: "5", cookie: "this one" },
    );
    expect(text(cookieIn(many, here)?.data)).toBe("this one");
    expect(text(cookieIn(many, { ...here, ip: "10.0.0.7" })?.data)).toBe("by address");
    expect(cookieIn(many, { ...here, number: 6 })).toBeNull();
    expect(cookieIn(many, { ...here, ip: "10.0.0.8" })).toBeNull();
  });

  it("is found before the damage of a damaged file, and not behind it", () => {
    const whole = file(
      { family: LOCAL, address: "bench", number: "5", cookie: "first" },
      { family: LOCAL, address: "bench", number: "6", cookie: "second" },
    );
    for (let length = 0; length < whole.length; length++) {
      expect(cookieIn(whole.subarray(0, length), { ...here, number: 6 })).toBeNull();
      const isThere = length >= file({ family: LOCAL, address: "bench", number: "5", cookie: "first" }).length;
      expect(text(cookieIn(whole.subarray(0, length), here)?.data)).toBe(isThere ? "first" : undefined);
    }
    expect(text(cookieIn(whole, { ...here, number: 6 })?.data)).toBe("second");
  });
});
