import { REQUEST_TOKEN } from "./proof.ts";

const STYLE = `
  :root { color-scheme: light dark; }
  body { margin: 0; min-height: 100dvh; display: grid; place-items: center; padding: 16px; box-sizing: border-box; font: 15px / 1.45 system-ui, sans-serif; }
  form { max-width: 420px; display: grid; gap: 14px; overflow-wrap: anywhere; }
  h1 { margin: 0; font-size: 19px; }
  p { margin: 0; }
  button { font: inherit; min-height: 44px; padding: 6px 12px; }`;

/** A page whose button repeats a request with the token of the user's session. `effect` is the effect of the request, as a label. */
export function confirmationPage(url: URL, effect: string, token: string): string {
  const query = new URLSearchParams(url.searchParams);
  query.set(REQUEST_TOKEN, token);
  const fields = [...query].map(([name, value]) => `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}" />`);
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Confirm</title>
    <style>${STYLE}</style>
  </head>
  <body>
    <main>
      <form action="${escaped(url.pathname)}">
        <h1>${escaped(effect)}?</h1>
        <p>This address was opened by a link, by a page of another site, or by hand. Continue only if you want this.</p>
        ${fields.join("\n        ")}
        <button>${escaped(effect)}</button>
      </form>
    </main>
  </body>
</html>
`;
}

/** A text as HTML, also in an attribute. */
export function escaped(text: string): string {
  return text.replace(/[&"<>]/g, (character) => `&#${character.charCodeAt(0)};`);
}
