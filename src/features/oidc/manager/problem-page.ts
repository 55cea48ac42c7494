import { visible } from "../../../base/text/visible-text.ts";
import { escaped } from "../../../http/access/confirmation-page.ts";

const STYLE = `
  :root { color-scheme: light dark; --page: light-dark(#f3f5f8, #10161d); --panel: light-dark(#ffffff, #161e27); --line: light-dark(#d3dae2, #2a3644); --text: light-dark(#17212b, #dbe4ed); --accent: light-dark(#1262b0, #62aef2); }
  body { margin: 0; min-height: 100dvh; display: grid; place-items: center; padding: 16px; box-sizing: border-box; background: var(--page); color: var(--text); font: 15px / 1.45 system-ui, sans-serif; }
  main { width: min(420px, 100%); box-sizing: border-box; display: grid; gap: 14px; padding: 28px; background: var(--panel); border: 1px solid var(--line); border-radius: 10px; overflow-wrap: anywhere; }
  h1 { margin: 0; font-size: 19px; }
  p { margin: 0; }
  a { display: grid; place-content: center; min-height: 44px; padding: 6px 12px; box-sizing: border-box; border: 1px solid var(--accent); border-radius: 6px; color: var(--accent); font-weight: 600; text-decoration: none; }
  :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }`;

/** The page of a login at a provider that failed. `message` may hold text of the provider. */
export function problemPage(status: number, message: string): Response {
  const html = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="dark light" />
    <title>Login failed</title>
    <style>${STYLE}</style>
  </head>
  <body>
    <main>
      <h1>Login failed</h1>
      <p role="alert">${escaped(visible(message))}</p>
      <a href="/mgr/login">Back to the login</a>
    </main>
  </body>
</html>
`;
  return new Response(html, { status, headers: { "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store" } });
}
