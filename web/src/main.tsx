import { render } from "preact";
import { App } from "./app/app.tsx";
import { followVisibleHeight } from "./app/visible-height.ts";
import { offerDisplays } from "./display/display-of.ts";
import "./style.css";

const root = document.getElementById("app");
followVisibleHeight();
offerDisplays();
// A task of its own: evaluating the modules was one already.
if (root) setTimeout(() => render(<App />, root));
