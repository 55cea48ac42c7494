import { execFile } from "node:child_process";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const FILE = fileURLToPath(new URL("../../../../clients/python/mgr_client.py", import.meta.url));
const CHECK = `
import ast, json, sys
tree = ast.parse(open(sys.argv[1], encoding="utf-8").read(), feature_version=(3, 9))
names = [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
names += [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
print(json.dumps(sorted({name.split(".")[0] for name in names} - set(sys.stdlib_module_names))))
`;

it("the library in Python is one file that Python 3.9 understands, with the standard library only", async () => {
  const { stdout } = await promisify(execFile)("python3", ["-c", CHECK, FILE]);
  expect(JSON.parse(stdout)).toEqual([]);
});

it("a float in a parameter is written as docs/clients.md says: without a fraction that is 0, and without zeros before its exponent", async () => {
  const values = "[-1e-07, 1e-7, 1.0, 0.25, 1e-10, 100.0, 1.5e300]";
  const script = `import sys; sys.dont_write_bytecode = True; sys.path.insert(0, sys.argv[1]); from mgr_client import parameter_text; print(" ".join(map(parameter_text, ${values})))`;
  const { stdout } = await promisify(execFile)("python3", ["-c", script, dirname(FILE)]);
  expect(stdout.trim()).toBe("-1e-7 1e-7 1 0.25 1e-10 100 1.5e+300");
});
