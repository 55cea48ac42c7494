// Checks that what comments, tests and documents cite is there: Markdown files, their headings (docs/design/wire-rules.md, "Output"),
// decisions by number, and links in documents with their anchors.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, extname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const FOLDERS = ["src", "web/src", "test", "bench", "scripts", "docs"];
const PAGES = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"];
const CODE = new Set([".ts", ".tsx", ".js", ".mjs", ".css", ".sh"]);
const DECISIONS = "docs/decisions";

const QUOTED = `"[^"\\n]+"|'[^'\\n]+'`;
/** A path that ends in `.md`, and the headings in quotes behind it. */
const CITATION = new RegExp(
  `(?<![\\w./~-])((?:[\\w.-]+/)*[\\w-]+\\.md)\\b(?:,? \\(?((?:${QUOTED})(?:(?:,| and|, and) (?:${QUOTED}))*))?`,
  "g",
);
/** A document that is named without its ending. */
const NAMELESS = /(?<=[ (])([A-Za-z][a-z]*(?:-[a-z]+)+),? (?:"[A-Z][^"\n]*"|'[A-Z][^'\n]*')/g;
const DECISION = /(?<![\w.-])docs\/decisions\/(\d{4})(?![\w-]*\.md)/g;
const LINK = /\]\(([^)\s]+)\)|src="([^"]+)"/g;

const decisions = readdirSync(join(root, DECISIONS)).filter((name) => /^\d{4}-/.test(name));
const problems = [];
let checked = 0;

function filesIn(folder) {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
}

/** The text with each line break and what begins a comment's line as one blank, so that a citation may go over two lines. */
function flowing(text) {
  const starts = [];
  let flow = "";
  for (const line of text.split("\n")) {
    starts.push(flow.length);
    flow += `${line.replace(/^\s*(?:\/?\*\*?\/?|\/\/|#)?\s*/, "").trimEnd()} `;
  }
  return { flow, lineAt: (offset) => starts.findLastIndex((start) => start <= offset) + 1 };
}

/** Without code, in which brackets are brackets; as many lines as before. */
function prose(text) {
  return text.replace(/^```.*?^```/gms, (block) => block.replace(/[^\n]/g, "")).replace(/`[^`\n]*`/g, "");
}

/** Links are looked at by themselves. */
function withoutLinks(text) {
  return text.replace(/\[[^\]]*\]\([^)\s]+\)/g, (link) => link.replace(/[^\n]/g, ""));
}

const headings = new Map();
function headingsOf(path) {
  if (!headings.has(path)) {
    const lines = readFileSync(path, "utf8")
      .replace(/^```.*?^```/gms, "")
      .match(/^#{1,6} .*$/gm);
    headings.set(path, new Set((lines ?? []).map((line) => line.replace(/^#+ /, "").replaceAll("`", "").trim())));
  }
  return headings.get(path);
}

/** As GitHub makes them. */
function anchorsOf(path) {
  const anchor = (heading) => heading.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, "");
  return new Set([...headingsOf(path)].map((heading) => anchor(heading).replaceAll(" ", "-")));
}

/** Where a cited path is, as seen from the root; one that begins with a dot is seen from the file that cites it. */
function placeOf(path, file) {
  const place = path.startsWith(".") ? resolve(root, dirname(file), path) : join(root, path);
  return existsSync(place) ? place : null;
}

function checkCitations(file, text) {
  const { flow, lineAt } = flowing(text);
  const report = (offset, problem) => problems.push(`${file}:${lineAt(offset)}: ${problem}`);
  for (const match of flow.matchAll(CITATION)) {
    const [, path, quoted = ""] = match;
    checked++;
    const place = placeOf(path, file);
    if (place === null) {
      report(match.index, `cites ${path}, which is not in the repository; name a file by its path from the root`);
      continue;
    }
    for (const [heading] of quoted.matchAll(new RegExp(QUOTED, "g"))) {
      if (!headingsOf(place).has(heading.slice(1, -1))) report(match.index, `${relative(root, place)} has no heading ${heading}`);
    }
  }
  // In a style sheet these are fonts.
  for (const match of extname(file) === ".css" ? [] : flow.matchAll(NAMELESS))
    report(match.index, `cites a document '${match[1]}'; name a file of the repository`);
  for (const match of flow.matchAll(DECISION)) {
    checked++;
    if (!decisions.some((name) => name.startsWith(`${match[1]}-`))) report(match.index, `there is no decision ${match[1]}`);
  }
}

function checkLinks(file, text) {
  text.split("\n").forEach((line, index) => {
    for (const [, link, image] of line.matchAll(LINK)) {
      const target = link ?? image;
      if (/^(https?|mailto):/.test(target)) continue;
      checked++;
      const [path, anchor] = target.split("#");
      const place = path === "" ? join(root, file) : resolve(root, dirname(file), path);
      if (!existsSync(place)) problems.push(`${file}:${index + 1}: links to ${path}, which is not there`);
      else if (anchor !== undefined && !anchorsOf(place).has(anchor))
        problems.push(`${file}:${index + 1}: ${relative(root, place)} has no heading for #${anchor}`);
    }
  });
}

/** Each decision has a number of its own, a status with a date, and its line in the index. */
function checkDecisions() {
  const index = readFileSync(join(root, DECISIONS, "README.md"), "utf8");
  for (const [at, name] of decisions.entries()) {
    const file = `${DECISIONS}/${name}`;
    const number = name.slice(0, 4);
    const [title = "", , status = ""] = readFileSync(join(root, file), "utf8").split("\n");
    checked++;
    if (decisions[at - 1]?.startsWith(number)) problems.push(`${file}:1: the number ${number} is used twice`);
    if (!title.startsWith(`# ${number}: `)) problems.push(`${file}:1: the title has to begin with '# ${number}: '`);
    if (!/^Status: (accepted|superseded by \d{4}|withdrawn), \d{4}-\d\d-\d\d/.test(status))
      problems.push(`${file}:3: there is no line 'Status: accepted, YYYY-MM-DD' (${DECISIONS}/template.md)`);
    if (!index.includes(`(${name})`)) problems.push(`${DECISIONS}/README.md:1: ${name} is not in the list`);
  }
}

for (const file of [...FOLDERS.flatMap(filesIn), ...PAGES].sort()) {
  const ending = extname(file);
  if (!CODE.has(ending) && ending !== ".md") continue;
  const text = readFileSync(join(root, file), "utf8");
  if (ending === ".md") checkLinks(file, prose(text));
  checkCitations(file, ending === ".md" ? withoutLinks(text) : text);
}
checkDecisions();
for (const problem of problems) console.error(problem);
console.log(`citations: ${checked} checked, ${problems.length} wrong`);
process.exit(problems.length > 0 ? 1 : 0);
