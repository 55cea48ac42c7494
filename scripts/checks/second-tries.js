// A reporter of vitest: prints each test that failed at first and passed when it was tried again, with its first error. A retry hides no flake.
import { relative } from "node:path";

export default class SecondTries {
  onTestRunEnd(modules) {
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        if (!test.diagnostic()?.flaky) continue;
        const { message = "no error was kept", stack = "" } = test.result().errors?.[0] ?? {};
        const place = stack.split("\n").find((line) => line.includes(module.moduleId)) ?? "";
        console.log(`passed only at its second try: ${relative(process.cwd(), module.moduleId)} > ${test.fullName}`);
        for (const line of [...message.split("\n"), place.trim()]) if (line !== "") console.log(`    ${line}`);
      }
    }
  }
}
