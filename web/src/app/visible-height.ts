/** Height, CSS pixels, below which a phone's keyboard is usually open: the terminal then gets the room of the bars above and below it. */
const SHORT = 560;

/** Sets the height that a phone's keyboard leaves, for the style sheet. Safari keeps the page's own height, and covers its lower part. */
export function followVisibleHeight(): void {
  const { visualViewport, document } = window;
  if (!visualViewport) return;
  const { style, dataset } = document.documentElement;
  const follow = () => {
    // The page keeps its height while the user has zoomed in with two fingers.
    if (visualViewport.scale > 1.01) return;
    style.setProperty("--visible-height", `${visualViewport.height}px`);
    dataset.short = String(visualViewport.height < SHORT);
    // Safari scrolls the focused field into view, and the whole page with it.
    if (visualViewport.offsetTop > 0) scrollTo(0, 0);
  };
  visualViewport.addEventListener("resize", follow);
  follow();
}
