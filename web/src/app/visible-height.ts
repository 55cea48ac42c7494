/** Below it a phone's keyboard is open, as a rule, CSS pixels: the terminal gets the room of what is above and below it. */
const SHORT = 560;

/** Tells the style sheet what a phone's keyboard leaves of the page. Safari keeps the page's own height, and covers its lower part. */
export function followVisibleHeight(): void {
  const { visualViewport, document } = window;
  if (!visualViewport) return;
  const { style, dataset } = document.documentElement;
  const follow = () => {
    // Zoomed in by two fingers, the page keeps its height.
    if (visualViewport.scale > 1.01) return;
    style.setProperty("--visible-height", `${visualViewport.height}px`);
    dataset.short = String(visualViewport.height < SHORT);
    // Safari has scrolled the field with the focus into sight, and with it the page.
    if (visualViewport.offsetTop > 0) scrollTo(0, 0);
  };
  visualViewport.addEventListener("resize", follow);
  follow();
}
