/** The built library, as an embedding program imports it; typed by its sources. */
export async function builtLibrary(): Promise<{
  mgr: typeof import("../../src/app/index.ts");
  testing: typeof import("../../src/testing/index.ts");
}> {
  const [mgr, testing] = await Promise.all(
    ["app", "testing"].map((folder) => import(new URL(`../../dist/${folder}/index.js`, import.meta.url).href)),
  );
  return { mgr, testing };
}
