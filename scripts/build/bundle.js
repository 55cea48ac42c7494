// Bundles the command line, the host daemon and the programs of worker threads. Only koffi and node-pty stay outside: they are native files.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { deflateRawSync } from "node:zlib";
import { build } from "vite";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");

/**
 * Writes `daemon.cjs` into `folder`, which loads `daemon-main.cjs` (node_modules with koffi and node-pty beside or above it): all in one file, so
 * that an `npm ci` below a running daemon cannot hurt it (docs/design/runtime-invariants.md, "Upgrade"). A native file that is loaded stays
 * mapped when it is removed.
 */
export async function buildDaemon(folder) {
  await bundle(
    "src/daemon/main.ts",
    folder,
    { format: "cjs", entryFileNames: "daemon-main.cjs", codeSplitting: false },
    { plugins: [inlineWorkers] },
  );
  await bundle("src/launch/daemon.ts", folder, { format: "cjs", entryFileNames: "daemon.cjs" });
}

/** The program of the worker thread that writes downloads; part of a feature. */
export const SAMPLE_WRITER = "src/features/recordings/samples/worker/main.ts";

/** Writes the program of the worker thread that writes downloads: one file, which is not loaded before the first download. */
export function buildSampleWriter(outFile) {
  return bundle(SAMPLE_WRITER, dirname(outFile), {
    entryFileNames: basename(outFile),
    codeSplitting: false,
  });
}

/** Writes the client library (`mgr/client`) as one file: for installations without `node_modules`. */
export function buildClient(outFile) {
  return bundle("src/client/index.ts", dirname(outFile), { entryFileNames: basename(outFile), codeSplitting: false });
}

/** Worker threads of the daemon by the names of their files in dist: their programs, each part of a feature. */
const HOST_WORKERS = {
  "output-search.cjs": "src/features/output-search/host/worker/main.ts",
  "replay.cjs": "src/features/replay/host/worker/main.ts",
};
const WORKER_OUTPUT = { format: "cjs", codeSplitting: false };
const presentWorkers = () => Object.entries(HOST_WORKERS).filter(([, program]) => existsSync(join(root, program)));

/** Writes the programs of the daemon's worker threads, for programs that embed a host. */
export async function buildHostWorkers(folder) {
  for (const [file, program] of presentWorkers()) await bundle(program, folder, { ...WORKER_OUTPUT, entryFileNames: file });
}

/**
 * Puts the programs of the worker threads into the daemon's file as compressed text: few daemons need them, and V8 keeps the whole source of a
 * program in memory.
 */
const inlineWorkers = {
  name: "inline-workers",
  async transform(_code, id) {
    const [, program] = presentWorkers().find(([, each]) => id === join(root, dirname(each), "../worker-source.ts")) ?? [];
    if (program === undefined) return null;
    const { output } = await bundle(program, undefined, WORKER_OUTPUT, { write: false });
    const packed = deflateRawSync(output[0].code, { level: 9 }).toString("base64");
    return `import { inflateRawSync } from "node:zlib";
export const workerSource = () => inflateRawSync(Buffer.from("${packed}", "base64")).toString();`;
  },
};

/**
 * Writes `mgr.cjs` into `folder`, which loads `main.cjs` and what that loads later. A command starts in half of the time that Node needs for some
 * hundred single files; the manager's part is a file of its own, which only `mgr up` loads. CommonJS, because only its bytecode can be kept.
 */
export async function buildProgram(folder) {
  await bundle("src/cli/main.ts", folder, { format: "cjs", entryFileNames: "main.cjs", chunkFileNames: "[name]-[hash].cjs" });
  await bundle("src/launch/mgr.ts", folder, { format: "cjs", entryFileNames: "mgr.cjs" });
}

/** The program that answers completion in shells; part of a feature. */
export const QUICK_NAMES = "src/features/completion/cli/quick-names.ts";

/** Writes the program that answers completion in shells: one small file, because a user waits for it with each Tab. */
export function buildQuickNames(folder) {
  return bundle(QUICK_NAMES, folder, { format: "cjs", entryFileNames: "quick-names.cjs", codeSplitting: false });
}

/** Writes a program of the tests into `folder`, as one file. */
export function buildFixture(program, folder, file) {
  return bundle(program, folder, { entryFileNames: file, codeSplitting: false });
}

/** What string-width creates when it is loaded, 30 ms of each program's start, and needs only for text beyond ASCII. */
const EAGER = [
  [
    "const segmenter = new Intl.Segmenter();",
    "let made;\nconst segmenter = { segment: (text) => (made ??= new Intl.Segmenter()).segment(text) };",
  ],
  ["const rgiEmojiRegex = /^\\p{RGI_Emoji}$/v;", "const rgiEmojiRegex = { test: (text) => /^\\p{RGI_Emoji}$/v.test(text) };"],
];

const lazyStringWidth = {
  name: "lazy-string-width",
  transform(code, id) {
    if (!id.endsWith("node_modules/string-width/index.js")) return null;
    return EAGER.reduce((text, [eager, lazy]) => {
      if (!text.includes(eager))
        throw new Error(`string-width has no "${eager}" any more: adapt or remove this in scripts/build/bundle.js`);
      return text.replace(eager, () => lazy);
    }, code);
  },
};

/** Modules of Node that a package loads with itself, and that most commands do not use: 2 ms of their start each, 5 with what these load. */
const UNUSED = {
  "commander/lib/command.js": ["node:child_process"],
  "prom-client/lib/pushgateway.js": ["https", "zlib"],
  "ws/lib/permessage-deflate.js": ["zlib"],
  "ws/lib/websocket.js": ["https", "tls"],
};

const lazyModules = {
  name: "lazy-modules",
  transform(code, id) {
    const [, ids = []] = Object.entries(UNUSED).find(([file]) => id.endsWith(`node_modules/${file}`)) ?? [];
    return ids.reduce((text, module) => {
      const whole = new RegExp(`^const (\\w+) = require\\('${module}'\\);$`, "m");
      const one = new RegExp(`^const \\{ (\\w+) \\} = require\\('${module}'\\);$`, "m");
      if (whole.test(text)) return text.replace(whole, `const $1 = ${lazily(module)};`);
      if (one.test(text)) return text.replace(one, `const $1 = (...values) => require('${module}').$1(...values);`);
      throw new Error(`${id} has no require('${module}') any more: adapt or remove this in scripts/build/bundle.js`);
    }, code);
  },
  /** The same for our own files: TLS and its kin are 1.3 MiB of a program that stays, and few need them. */
  generateBundle({ format }, files) {
    if (format !== "cjs") return;
    for (const file of Object.values(files)) {
      if (file.type !== "chunk") continue;
      file.code = file.code.replace(/^let (\w+) = require\("(node:(?:https|tls|zlib))"\);$/gm, (eager, name, module) =>
        new RegExp(`^${name} = `, "m").test(file.code) ? eager : `const ${name} = ${lazily(module)};`,
      );
    }
  },
};

function lazily(module) {
  return `new Proxy({ it: null }, { get: (loaded, name) => (loaded.it ??= require("${module}"))[name] })`;
}

/** A script that comes from V8's code cache cannot use `import()`: Node does not find the callback for it. What is bundled becomes `require`. */
const noDynamicImport = {
  name: "no-dynamic-import",
  generateBundle({ format }, files) {
    for (const { fileName, code = "" } of Object.values(files)) {
      const [found] = format === "cjs" ? (/^(?!\s*(\*|\/\/)).*[^.\w]import\([^)]*\)/m.exec(code) ?? []) : [];
      if (found !== undefined) throw new Error(`${fileName} has an import() that is not bundled: ${found.trim().slice(0, 200)}`);
    }
  },
};

/** With one character beyond Latin-1, V8 keeps the whole source with two bytes for each. In code, such characters are in texts and regular expressions only. */
const asciiOnly = {
  name: "ascii-only",
  generateBundle(_, files) {
    for (const file of Object.values(files)) {
      if (file.type === "chunk")
        file.code = file.code.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
    }
  },
};

/** The messages of Foxglove as one text, which is half as long as the package's objects, and parsed when the first of them is used. */
const compactSchemas = {
  name: "compact-schemas",
  load(id) {
    if (!id.endsWith("node_modules/@foxglove/schemas/dist/jsonschema/index.js")) return null;
    const text = JSON.stringify(createRequire(import.meta.url)(id)).replace(/[\\']/g, "\\$&");
    return `module.exports = JSON.parse('${text}');`;
  },
};

function bundle(entry, outDir, output, { plugins = [], write = true } = {}) {
  return build({
    configFile: false,
    root,
    logLevel: "warn",
    plugins: [...plugins, lazyStringWidth, compactSchemas, lazyModules, noDynamicImport, asciiOnly],
    // Under Node's conditions rxjs is one CommonJS library of 400 kB; its ES modules leave only what is used.
    resolve: { alias: [{ find: /^rxjs$/, replacement: join(root, "node_modules/rxjs/dist/esm/index.js") }] },
    build: {
      ssr: join(root, entry),
      outDir,
      emptyOutDir: false,
      write,
      target: "node20",
      minify: false,
      rolldownOptions: { output: { format: "esm", comments: { legal: true, annotation: false, jsdoc: false }, ...output } },
    },
    ssr: { noExternal: true, external: ["koffi", "node-pty"], target: "node" },
  });
}
