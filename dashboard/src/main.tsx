import { render } from "preact";
import { App } from "./app/App";
import { watchLocation } from "./app/location";
import { showTheme, signInByLink } from "./app/session";
import { showTextsSafely } from "./ui/shownText";
import "./ui/styles.css";
import "./app/app.css";

showTextsSafely();
signInByLink();
addEventListener("hashchange", signInByLink); // a link that is opened in this tab
showTheme();
watchLocation();
const root = document.getElementById("app");
if (root) render(<App />, root);
