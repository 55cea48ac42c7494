import { render } from "preact";
import { App } from "./app/app.tsx";
import "./style.css";

const root = document.getElementById("app");
// A task of its own: evaluating the modules was one already.
if (root) setTimeout(() => render(<App />, root));
