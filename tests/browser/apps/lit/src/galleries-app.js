import { Router } from "@lit-labs/router";
import { css, html, LitElement } from "lit";
import "./gallery-list.js";
import "./gallery-page.js";
import "./site-menu.js";

class GalleriesApp extends LitElement {
  static styles = css`
    nav {
      display: flex;
      gap: 1rem;
    }
  `;

  router = new Router(this, [
    { path: "/", render: () => text("Galleries", "Photographs of the coast.") },
    { path: "/galleries", render: () => html`<gallery-list></gallery-list>` },
    { path: "/galleries/:id/*", render: ({ id }) => html`<gallery-page .name=${id}></gallery-page>` },
    { path: "/galleries/:id", render: ({ id }) => html`<gallery-page .name=${id}></gallery-page>` },
    {
      path: "/about",
      enter: async () => {
        await import("./about-page.js");
        return true;
      },
      render: () => html`<about-page></about-page>`,
    },
    { path: "/about/prints", render: () => text("Prints", "Prints are made to order.") },
    { path: "/visit", render: () => text("Visit", "The rooms are open every day.") },
    { path: "/random", render: () => text("A photograph by chance", "Every day another photograph.") },
  ]);

  render() {
    return html`
      <header>
        <nav aria-label="Main">
          <a href="/">Home</a>
          <a href="/galleries">Galleries</a>
          <a href="/about">About</a>
          <site-menu></site-menu>
          <button @click=${this.#show}>Surprise me</button>
        </nav>
      </header>
      <main>${this.router.outlet()}</main>
    `;
  }

  #show() {
    history.pushState({}, "", "/random");
    this.router.goto("/random");
  }
}

const text = (title, words) => html`<h1>${title}</h1>
  <p>${words}</p>`;

customElements.define("galleries-app", GalleriesApp);
