import { render } from "preact";
import { App } from "./app/app.tsx";
import { followVisibleHeight } from "./app/visible-height.ts";
import "./style.css";

const root = document.getElementById("app");
followVisibleHeight();
// A task of its own: evaluating the modules was one already.
if (root) setTimeout(() => render(<App />, root));
