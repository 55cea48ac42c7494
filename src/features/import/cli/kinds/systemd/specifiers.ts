import { homedir, hostname, userInfo } from "node:os";
import { UnfitValue } from "../../model/failure.ts";

/** A unit by its name, such as "camera@left.service". */
export interface UnitName {
  /** Name with its ending. */
  readonly full: string;
  /** Name up to "@". */
  readonly prefix: string;
  /** Text behind "@"; null: none. */
  readonly instance: string | null;
}

export function unitName(full: string): UnitName {
  const name = full.replace(/\.\w+$/, "");
  const [prefix = "", instance = null] = name.includes("@")
    ? [name.slice(0, name.indexOf("@")), name.slice(name.indexOf("@") + 1)]
    : [name];
  return { full, prefix, instance };
}

/** Replaces `%i` and the like (systemd.unit(5), "Specifiers"). `user` is that of the service; null: the user of this program. */
export function withSpecifiers(text: string, { full, prefix, instance }: UnitName, user: string | null): string {
  const values: Readonly<Record<string, string>> = {
    "%": "%",
    n: full,
    N: full.replace(/\.\w+$/, ""),
    p: prefix,
    P: unescaped(prefix),
    i: instance ?? "",
    I: unescaped(instance ?? ""),
    H: hostname(),
    l: hostname().split(".")[0] ?? "",
    u: user ?? userInfo().username,
    h: user === null ? homedir() : user === "root" ? "/root" : `/home/${user}`,
    t: "/run",
    S: "/var/lib",
    C: "/var/cache",
    L: "/var/log",
    E: "/etc",
    T: "/tmp",
    V: "/var/tmp",
  };
  return text.replace(/%(.?)/gs, (all, name: string) => {
    const value = values[name];
    if (value === undefined) throw new UnfitValue(`has the specifier '${all}', which is not supported`);
    return value;
  });
}

/** Reverses the escapes of unit names: `-` is a slash, `\x2d` a byte. */
function unescaped(text: string): string {
  return text.replaceAll("-", "/").replace(/\\x([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
