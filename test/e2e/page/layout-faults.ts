/**
 * Evaluated in the page, as text: the tests are compiled without the browser's types. Each returns sentences about what is wrong.
 */
const COMMON = `
const nameOf = (e) => \`<\${e.localName} class="\${e.getAttribute("class") ?? ""}"> '\${(e.getAttribute("aria-label") ?? e.textContent).trim().slice(0, 60)}'\`;
const isShown = (e) => {
  const { width, height } = e.getBoundingClientRect();
  return width > 0 && height > 0 && e.checkVisibility({ visibilityProperty: true });
};
/** What clips or scrolls an element sideways, from the inside out. */
const holdersOf = (e) => {
  const holders = [];
  for (let p = e.parentElement; p && p !== document.body; p = p.parentElement) {
    // What is fixed is not held by what is around it.
    if (getComputedStyle(e).position === "fixed") break;
    const { overflowX, textOverflow } = getComputedStyle(p);
    if (overflowX !== "visible") holders.push({ p, scrolls: overflowX === "auto" || overflowX === "scroll", isText: textOverflow === "ellipsis" });
  }
  return holders;
};
const CONTROLS = "button, a[href], select, input, textarea, [role=option], [role=treeitem], [role=tab], .quick";
const top = [...document.querySelectorAll("dialog[open]")].at(-1) ?? document.body;
`;

/** Nothing scrolls sideways or sticks out, but in a scroller of its own; no control is cut off. */
export const LAYOUT_FAULTS = `(() => {${COMMON}
const found = [];
const { scrollWidth, clientWidth } = document.scrollingElement;
if (scrollWidth > clientWidth) found.push(\`the page is \${scrollWidth} px wide, of \${clientWidth}\`);
for (const e of top.querySelectorAll("*")) {
  if (!isShown(e) || e.closest(".xterm, .cm-editor, .unseen, svg *")) continue;
  const box = e.getBoundingClientRect();
  const holders = holdersOf(e);
  if ((box.right > clientWidth + 1 || box.left < -1) && !holders.some(({ scrolls, isText }) => scrolls || isText))
    found.push(\`\${nameOf(e)} lies from \${Math.round(box.left)} to \${Math.round(box.right)} px, of \${clientWidth}\`);
  if (!e.matches(CONTROLS)) continue;
  for (const { p, scrolls } of holders) {
    if (scrolls) break;
    const of = p.getBoundingClientRect();
    if (box.right > of.right + 1 || box.left < of.left - 1) found.push(\`\${nameOf(e)} is cut off by \${nameOf(p)}\`);
  }
}
return found;
})()`;

/** For fingers: what can be touched is 44 px high and wide, and says in words what it does. */
export const TOUCH_FAULTS = `(() => {${COMMON}
const found = [];
for (const e of top.querySelectorAll(CONTROLS)) {
  if (!isShown(e) || e.closest(".xterm, .cm-editor") || e.matches("[type=range]")) continue;
  // A label is touched instead of its box, a row instead of the link in it; links within text are as high as the text.
  const touched = e.closest("label, .palette-row, [role=treeitem]:not(.quick)") ?? e;
  const isInText = e.matches("a, .linklike") && !e.matches("[role]");
  const { width, height } = (e.matches(".quick") ? e : touched).getBoundingClientRect();
  if (!isInText && (height < 43.5 || width < 43.5)) found.push(\`\${nameOf(e)} is \${Math.round(width)}×\${Math.round(height)} px\`);
  if (e.matches("button:not(.key, .switch)") && !/\\p{L}/u.test(e.innerText)) found.push(\`\${nameOf(e)} has no word\`);
}
return found;
})()`;
