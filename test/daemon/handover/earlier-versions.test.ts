import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { HANDOVER_VERSION, type Handover } from "../../../src/daemon/handover/handover-file.ts";
import { hostState } from "../../../src/daemon/host-handover.ts";
import { checkedHandover } from "../../../src/daemon/take-over.ts";

const FOLDER = join(import.meta.dirname, "../../fixtures/handover");

/** A state as an earlier program wrote it (`record` in test/features/upgrades). */
function stateOf(file: string): Handover {
  const { program, sections } = JSON.parse(readFileSync(join(FOLDER, file), "utf8"));
  for (const section of Object.values<{ descriptors: Record<string, [number, string]>; bytes: unknown }>(sections)) {
    section.bytes = {};
    Object.assign(section, { descriptors: Object.fromEntries(Object.entries(section.descriptors).map(([name, [fd]]) => [name, fd])) });
  }
  return { program, sections };
}

describe("the state of a daemon", () => {
  test.each(readdirSync(FOLDER))("%s is accepted by this program", (file) => {
    const { streamId, program, sections } = checkedHandover(stateOf(file));
    expect(streamId).toMatch(/^[0-9a-f-]{36}$/);
    expect(program).not.toBeNull();
    const { living, extinct, failed, output } = hostState.parse(sections.host?.state);
    expect(living.map(({ facts }) => facts.name).sort()).toEqual(["counter", "stubborn", "waiting"]);
    expect(living.find(({ facts }) => facts.name === "stubborn")?.stop?.at?.index).toBe(0);
    expect(extinct.map(({ facts }) => facts.name)).toEqual(["ended"]);
    expect(failed.map(({ name }) => name)).toEqual(["missing"]);
    expect(output.rings.rings.map(([name]) => name).sort()).toEqual(["counter", "ended", "missing", "stubborn", "waiting"]);
  });

  test("of this version is among those that are kept", () => {
    expect(readdirSync(FOLDER)).toContain(`version-${HANDOVER_VERSION}.json`);
  });

  test("is refused if a part is missing or has another shape, with the name of the part and the field", () => {
    const state = stateOf("version-1.json");
    const { host = { state: null, descriptors: {}, bytes: {} }, ...others } = state.sections;
    expect(() => checkedHandover({ ...state, sections: others })).toThrow("its part 'host' is not as expected");
    const changed = { ...host, state: { ...hostState.parse(host.state), seq: "many" } };
    expect(() => checkedHandover({ ...state, sections: { ...others, host: changed } })).toThrow(
      /its part 'host' is not as expected: .*seq/s,
    );
    const { lock: _lock, ...unlocked } = state.sections;
    expect(() => checkedHandover({ ...state, sections: unlocked })).toThrow("it has no lock");
  });
});
