import "./style/base.css";
import { render } from "preact";

render(<h1>Warpsight</h1>, document.getElementById("app")!);
