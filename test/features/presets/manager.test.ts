import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { ADMIN_GRANTS, type Grant } from "../../../src/base/access/access.ts";
import { MgrError } from "../../../src/base/errors.ts";
import { systemClock } from "../../../src/base/timing/clock.ts";
import { loadConfigObject } from "../../../src/config/load/load.ts";
import type { OverrideChange } from "../../../src/features/data-plane/manager/data-plane.ts";
import type { Parameter } from "../../../src/features/data-plane/wire/parameter.ts";
import { ManagerPresets } from "../../../src/features/presets/manager/manager-presets.ts";
import { LogBook } from "../../../src/log/log-book.ts";

const ADA = { user: "ada", grants: ADMIN_GRANTS };

function parameter(provider_id: number, name: string, more: Partial<Parameter> = {}): Parameter {
  const service = provider_id === 1 ? "arm" : "leg";
  const base = {
    unit: "",
    minimum: 0,
    maximum: 10,
    description: "",
    input: "1",
    output: "1",
    override_value: "1",
    override_enabled: false,
  };
  return { id: `${provider_id}:${service}:${name}`, name, service, provider: service, provider_id, type: "float", ...base, ...more };
}

/** Two programs with parameters, of the processes `arm` and `leg`, and an empty folder. */
function rig() {
  const folder = mkdtempSync(join(tmpdir(), "mgr-presets-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const config = loadConfigObject({ instance: { presets_dir: folder }, processes: {} }, { base_dir: folder, state_dir: folder });
  const parameters = [parameter(1, "gain"), parameter(1, "limit"), parameter(2, "gain"), parameter(2, "mode", { type: "string" })];
  const log = new LogBook({ capacity: 100, now: Date.now });
  /** Parameters whose program refuses the next override. */
  const refusing = new Set<string>();
  /** Parameters whose program sets the next override, but answers too late. */
  const late = new Set<string>();
  const dataPlane = {
    parameters: async () => ({ parameters: parameters.map((each) => ({ ...each })), errors: [] }),
    setOverride: async ({ provider_id, parameter: name, enabled, value }: OverrideChange) => {
      const found = parameters.find((each) => each.provider_id === provider_id && each.name === name);
      if (found === undefined || refusing.delete(found.id)) throw new MgrError("bad_field", "the motor is off");
      Object.assign(found, { override_enabled: enabled, override_value: value, output: enabled ? value : found.input });
      if (late.delete(found.id)) throw new MgrError("timeout", "the program did not answer within 2 s");
      return { enabled, value };
    },
    ownersOf: (object: object) => ("provider_id" in object && object.provider_id === 1 ? ["arm"] : ["leg"]),
  };
  const providersOf = (service: string) => (service === "arm" || service === "leg" ? [service] : null);
  const presets = new ManagerPresets({ clock: systemClock, config: () => config, log, dataPlane, providersOf });
  const overrides = () =>
    Object.fromEntries(parameters.filter((each) => each.override_enabled).map((each) => [each.id.slice(2), each.override_value]));
  const override = (provider_id: number, name: string, value: string) =>
    dataPlane.setOverride({ service: "", provider_id, parameter: name, enabled: true, value });
  const lines = () => log.entries().map(({ msg }) => msg);
  return { folder, presets, overrides, override, refusing, late, lines, parameters };
}

it("overrides are saved, compared, loaded and deleted, and the log says by whom", async () => {
  const { folder, presets, overrides, override, lines } = rig();
  await expect(presets.save({ name: "careful" }, "ada")).rejects.toMatchObject({ code: "not_found" });
  await override(1, "gain", "2.5");
  await override(2, "mode", "slow");
  await presets.save({ name: "careful", description: "Slow" }, "ada");
  expect(readFileSync(join(folder, "careful.yaml"), "utf8")).toContain('  arm:\n    gain: 2.5\n  leg:\n    mode: "slow"\n');
  expect((await presets.list(null)).presets).toMatchObject([
    { name: "careful", description: "Slow", saved_by: "ada", values: 2, problem: null },
  ]);
  await override(1, "gain", "3");
  await override(1, "limit", "4");
  const results = async () =>
    (await presets.compare("careful", null, null)).differences.map(({ parameter: name, result }) => `${name} ${result}`);
  expect(await results()).toEqual(["gain different", "limit extra", "mode same"]);
  expect(await presets.load({ name: "careful" }, ADA)).toEqual({ changed: 1, unchanged: 1, failures: [] });
  expect(overrides()).toEqual({ "arm:gain": "2.5", "arm:limit": "4", "leg:mode": "slow" });
  await presets.remove("careful", "bob");
  expect(readdirSync(folder)).toEqual([]);
  expect(lines()).toEqual([
    "'ada' saved preset 'careful': 2 values",
    "'ada' loaded preset 'careful': 1 override changed",
    "'bob' deleted preset 'careful'",
  ]);
});

it("a preset is saved by pattern, by names, or with all values, and replaced only if that is asked for", async () => {
  const { presets, override } = rig();
  await override(1, "gain", "2");
  const saved = async (more: object) => {
    await presets.save({ name: "p", replace: true, ...more }, "ada");
    return (await presets.show("p", null)).values.map(({ service, parameter: name, value }) => `${service}:${name}=${value}`);
  };
  expect(await saved({ pattern: "*" })).toEqual(["arm:gain=2"]);
  expect(await saved({ pattern: "leg:*", all: true })).toEqual(["leg:gain=1", "leg:mode=1"]);
  expect(await saved({ parameters: ["gain", "arm:limit"], all: true })).toEqual(["arm:gain=2", "arm:limit=1", "leg:gain=1"]);
  await expect(presets.save({ name: "p" }, "ada")).rejects.toMatchObject({ code: "conflict" });
  await expect(presets.save({ name: "q", parameters: ["gian"] }, "ada")).rejects.toThrow("there are no parameters 'gian'");
  await expect(presets.save({ name: "q", pattern: "*", parameters: ["gain"] }, "ada")).rejects.toMatchObject({ code: "bad_field" });
  await expect(presets.save({ name: "../q" }, "ada")).rejects.toMatchObject({ code: "bad_field" });
});

it("a preset is loaded completely or not at all, unless the rest is asked for", async () => {
  const { folder, presets, overrides, override, refusing } = rig();
  await override(2, "gain", "9");
  writeFileSync(join(folder, "p.yaml"), "parameters:\n  arm:\n    gain: 2\n    gone: 1\n    limit: 11\n  leg:\n    gain: 3\n");
  await expect(presets.load({ name: "p" }, ADA)).rejects.toThrow(
    "nothing was changed, because of 'arm:gone': no program has it now, 'arm:limit': 11 is out of range: it must be 0 to 10",
  );
  expect(overrides()).toEqual({ "leg:gain": "9" });
  expect(await presets.load({ name: "p", partial: true }, ADA)).toMatchObject({
    changed: 2,
    failures: [{ parameter: "gone" }, { parameter: "limit" }],
  });
  expect(overrides()).toEqual({ "arm:gain": "2", "leg:gain": "3" });
  writeFileSync(join(folder, "q.yaml"), "parameters:\n  arm:\n    gain: 5\n    limit: 5\n  leg:\n    gain: 5\n");
  refusing.add("1:arm:limit");
  await expect(presets.load({ name: "q" }, ADA)).rejects.toThrow("nothing was changed, because of 'arm:limit': the motor is off");
  expect(overrides()).toEqual({ "arm:gain": "2", "leg:gain": "3" });
});

it("an override that was perhaps set, by a program that did not answer in time, is set back", async () => {
  const { folder, presets, overrides, late } = rig();
  writeFileSync(join(folder, "p.yaml"), "parameters: {arm: {gain: 2, limit: 3}, leg: {gain: 4}}\n");
  late.add("1:arm:gain");
  await expect(presets.load({ name: "p" }, ADA)).rejects.toThrow("nothing was changed, because of 'arm:gain': the program did not answer");
  expect(overrides()).toEqual({});
});

it("loads wait for each other, so that what one sets back is not what another has set", async () => {
  const { folder, presets, overrides, refusing } = rig();
  writeFileSync(join(folder, "one.yaml"), "parameters: {arm: {gain: 2, limit: 2}}\n");
  writeFileSync(join(folder, "two.yaml"), "parameters: {arm: {gain: 3, limit: 3}}\n");
  refusing.add("1:arm:limit");
  const both = await Promise.allSettled([presets.load({ name: "one" }, ADA), presets.load({ name: "two" }, ADA)]);
  expect(both.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
  expect(overrides()).toEqual({ "arm:gain": "3", "arm:limit": "3" });
});

it("a file is read again when it has changed, and what could not be read again is not saved", async () => {
  const { folder, presets, parameters } = rig();
  const gain = async () => (await presets.show("p", null)).values[0]?.value;
  writeFileSync(join(folder, "p.yaml"), "parameters: {arm: {gain: 2}}\n");
  expect([await gain(), await gain()]).toEqual(["2", "2"]);
  writeFileSync(join(folder, "p.yaml"), "parameters: {arm: {gain: 31}}\n");
  expect(await gain()).toBe("31");
  writeFileSync(join(folder, "p.yaml"), Buffer.from([0x70, 0xff]));
  await expect(gain()).rejects.toThrow("p.yaml is not UTF-8");
  Object.assign(parameters[0] ?? {}, { service: "s".repeat(256) });
  await expect(presets.save({ name: "long", all: true }, "ada")).rejects.toThrow("the name of a service must have 1 to 255 characters");
  expect(readdirSync(folder)).toEqual(["p.yaml"]);
});

it("users with a role on some processes see and load only what belongs to these", async () => {
  const { folder, presets, overrides } = rig();
  const grants: Grant[] = [{ role: "operator", on: ["arm"] }];
  writeFileSync(join(folder, "arm.yaml"), "parameters: {arm: {gain: 2}}\n");
  writeFileSync(join(folder, "both.yaml"), "parameters: {arm: {gain: 3}, leg: {gain: 3}}\n");
  writeFileSync(join(folder, "leg.yaml"), "parameters: {leg: {gain: 4}}\n");
  expect((await presets.list(grants)).presets.map(({ name, values }) => [name, values])).toEqual([
    ["arm", 1],
    ["both", 1],
  ]);
  writeFileSync(join(folder, "bad.yaml"), "secret\n");
  for (const name of ["leg", "bad", "none"])
    await expect(presets.show(name, grants)).rejects.toThrow(`there is no preset '${name}'; 'mgr preset list' lists all`);
  expect(["arm", "both", "leg", "none"].map((name) => presets.ownersOf(name))).toEqual([["arm"], ["arm", "leg"], ["leg"], null]);
  await expect(presets.load({ name: "both" }, { user: "eve", grants })).rejects.toMatchObject({ code: "forbidden" });
  expect(overrides()).toEqual({});
  await presets.load({ name: "arm" }, { user: "eve", grants });
  expect(overrides()).toEqual({ "arm:gain": "2" });
});

it("a file that cannot be used is listed with the reason, and others are not affected", async () => {
  const { folder, presets } = rig();
  writeFileSync(join(folder, "good.yaml"), "parameters: {arm: {gain: 2}}\n");
  writeFileSync(join(folder, "bad.yaml"), "parameters:\n  arm: 3\n");
  writeFileSync(join(folder, "open.yaml"), "parameters: {}\n");
  chmodSync(join(folder, "open.yaml"), 0o666);
  writeFileSync(join(folder, "large.yaml"), "#".repeat(1024 * 1024 + 1));
  symlinkSync("/etc/passwd", join(folder, "link.yaml"));
  symlinkSync("nowhere", join(folder, "nowhere.yaml"));
  writeFileSync(join(folder, ".good.yaml.new"), "");
  writeFileSync(join(folder, "notes.txt"), "");
  expect((await presets.list(null)).presets.map(({ name, problem }) => [name, problem])).toEqual([
    ["bad", `${folder}/bad.yaml:2: parameters: 'arm' must be a mapping from names to values`],
    ["good", null],
    ["large", expect.stringContaining("has more than 1048576 bytes")],
    ["link", expect.stringContaining("is a symbolic link")],
    ["nowhere", expect.stringContaining("is a symbolic link")],
    ["open", expect.stringContaining("can be written by every user")],
  ]);
  await expect(presets.load({ name: "bad" }, ADA)).rejects.toMatchObject({ code: "conflict" });
  await expect(presets.load({ name: "gone" }, ADA)).rejects.toMatchObject({ code: "not_found" });
  await expect(presets.save({ name: "nowhere", all: true }, "ada")).rejects.toMatchObject({ code: "conflict" });
});

it("two presets are compared without their programs, and numbers with those of programs by value", async () => {
  const { folder, presets, override } = rig();
  writeFileSync(join(folder, "one.yaml"), "parameters: {arm: {gain: 2.50, limit: 1}, tail: {a: 1}}\n");
  writeFileSync(join(folder, "two.yaml"), "parameters: {arm: {gain: 3, stiffness: 1}, tail: {a: 1}}\n");
  const compared = async (other: string | null) =>
    (await presets.compare("one", other, null)).differences.map(({ parameter: name, result }) => `${name} ${result}`);
  expect(await compared("two")).toEqual(["gain different", "limit missing", "stiffness extra", "a same"]);
  await override(1, "gain", "2.5");
  expect(await compared(null)).toEqual(["gain same", "limit different", "a missing"]);
});
