import { createRoot } from "react-dom/client";
import { BrowserRouter } from "react-router";
import { Shop } from "./shop.jsx";

createRoot(document.getElementById("root")).render(
  <BrowserRouter>
    <Shop />
  </BrowserRouter>,
);
