import { expect, it } from "vitest";
import { fileNameOf } from "../../src/cli/manager/http-get.ts";

it.each([
  [`attachment; filename="arm.pickle"`, "arm.pickle"],
  [`attachment; filename="gr_e.pickle"; filename*=UTF-8''gr%C3%B6%C3%9Fe%20%E2%98%83.pickle`, "größe ☃.pickle"],
  ["attachment", "otherwise"],
  // No manager sends these.
  [`attachment; filename="../../x"`, "otherwise"],
  [`attachment; filename=".."`, "otherwise"],
  [`attachment; filename="a"; filename*=UTF-8''..%2Fx`, "otherwise"],
  [`attachment; filename="a"; filename*=UTF-8''%1B%5B2J`, "otherwise"],
  [`attachment; filename="a"; filename*=UTF-8''%E2%80%AEx`, "otherwise"],
  [`attachment; filename="a"; filename*=UTF-8''%FF`, "otherwise"],
])("the file name %s is saved as %s", (header, name) => {
  expect(fileNameOf({ headers: { "content-disposition": header } }, "otherwise")).toBe(name);
});
