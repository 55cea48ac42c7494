import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { includesRole, type Need, ROLES } from "../../../src/base/access/access.ts";
import type { ClientFrameSpec } from "../../../src/protocol/frames/frame-table.ts";
import { CLIENT_FRAMES } from "../../../src/protocol/frames/frames.ts";

// The page asks before it offers a button, a menu entry, a key or a view (docs/access.md, "In the page"). This test reads the sources, so that no
// frame of a later feature is forgotten.

const ROOT = fileURLToPath(new URL("../../../web/src/", import.meta.url));

/** Frames that not every user may send about what the user sees. */
const RESTRICTED = new Map<string, ClientFrameSpec>(
  Object.entries<ClientFrameSpec>(CLIENT_FRAMES).filter(
    ([, { scope, role }]) => scope === "global" || (["name", "owned"].includes(scope) && role !== "viewer"),
  ),
);

/** Sources of each feature, and of the rest of the page, as one text each. */
const UNITS = new Map<string, string>();
for (const path of readdirSync(ROOT, { recursive: true, encoding: "utf8" })) {
  if (!/\.tsx?$/.test(path)) continue;
  const unit = /^features\/([^/]+)\//.exec(path)?.[1] ?? "the core";
  UNITS.set(unit, `${UNITS.get(unit) ?? ""}\n${readFileSync(ROOT + path, "utf8")}`);
}

const typesIn = (text: string): string[] =>
  [...text.matchAll(/"([a-z_]+)"/g)].flatMap(([, type = ""]) => (RESTRICTED.has(type) ? type : []));

/** Types that a text asks for: in the argument of `refusalOf`, in `sends` of an action, in `needs` of a view, by a constant or on the spot. */
function askedIn(text: string): { types: string[]; views: string[] } {
  const constants = [...text.matchAll(/const (\w+)(?:: \w+)? =\s([^;]*?\btype:[^;]*);/g)].flatMap(([, name = "", value = ""]) =>
    new RegExp(`(refusalOf\\(|sends: )${name}\\b`).test(text) ? typesIn(value) : [],
  );
  const onTheSpot = [...text.matchAll(/(?:refusalOf\(|sends: |sending\([^{]*)\{ type: ([^}]*)/g)].flatMap(([, value = ""]) =>
    typesIn(value),
  );
  const views = [...text.matchAll(/needs: \(.*?\) =>[^\n]*?\{ type: ([^}]*)|tabType\("([^)]*)/g)].flatMap(([match]) => typesIn(match));
  return { types: [...constants, ...onTheSpot], views };
}

const includes = (need: Need, other: Need): boolean =>
  need === other ||
  (ROLES.some((role) => role === need) && ROLES.some((role) => role === other) && includesRole(need as "admin", other as "admin"));

/** Frames that the sources send without asking whether the user may. */
function unasked(text: string): string[] {
  const { types, views } = askedIn(text);
  const isAsked = (type: string) => {
    if (types.includes(type)) return true;
    const { scope, role } = RESTRICTED.get(type) ?? { scope: "own", role: "admin" };
    return scope === "global" && views.some((view) => includes(RESTRICTED.get(view)?.role ?? "viewer", role));
  };
  return [...new Set(typesIn(text))].filter((type) => !isAsked(type));
}

test.each([...UNITS])("%s asks whether the user may send each of its frames", (_, text) => {
  expect(unasked(text)).toEqual([]);
});

test("a frame that is sent without asking is found", () => {
  expect(unasked('command({ type: "stop_process", name })')).toEqual(["stop_process"]);
  expect(unasked('const view = { needs: () => ({ type: "request_config_file" }) }; ask({ type: "reload_config" })')).toEqual([]);
  expect(unasked('const frame = { type: "send_signal", name };\nrefusalOf(frame); command(frame)')).toEqual([]);
});

test("entries of the navigation and keys that open a view do so by the view, so that its needs count", () => {
  for (const [unit, text] of UNITS) {
    const opened = [...text.matchAll(/\{ title: [^}]*run: \(\) => show\(/g)].map(([match]) => match);
    expect(opened, unit).toEqual([]);
  }
});
