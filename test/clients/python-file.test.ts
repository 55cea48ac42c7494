import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const FILE = fileURLToPath(new URL("../../clients/python/mgr_client.py", import.meta.url));
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
