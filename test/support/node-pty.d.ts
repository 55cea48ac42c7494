// `@lydell/node-pty` is installed as `node-pty`, but declares its types under its own name.
/// <reference path="../../node_modules/node-pty/node-pty.d.ts" />
declare module "node-pty" {
  export * from "@lydell/node-pty";
}
