/** Names the browser that all test files of a worker use (test/e2e/support/shared-browser.ts); Chromium ignores it. No file leaves it behind: the worker does. */
export const SHARED_BROWSER_SWITCH = "--mgr-shared-browser";
