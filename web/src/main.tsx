import "./style/base.css";
import { render } from "preact";
import { startLive } from "./data/live";
import { applyTheme } from "./data/theme";
import { App } from "./frame/app";

applyTheme();
startLive();
render(<App />, document.getElementById("app")!);
