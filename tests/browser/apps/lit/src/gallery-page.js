import { Routes } from "@lit-labs/router";
import { html, LitElement } from "lit";

class GalleryPage extends LitElement {
  static properties = { name: {}, photos: { state: true } };

  routes = new Routes(this, [
    { path: "", render: () => html`<p>Choose a photograph.</p>` },
    { path: "photos/:number", render: ({ number }) => html`<p>This is photograph ${number}.</p>` },
  ]);

  constructor() {
    super();
    this.photos = 0;
  }

  async updated(changed) {
    if (!changed.has("name")) return;
    const response = await fetch("/data/galleries.json");
    const galleries = await response.json();
    this.photos = galleries.find((one) => one.id === this.name)?.photos ?? 0;
  }

  render() {
    const numbers = Array.from({ length: this.photos }, (_, index) => index + 1);
    return html`<h1>Gallery: ${this.name}</h1>
      ${numbers.map((number) => html`<a href="/galleries/${this.name}/photos/${number}">Photograph ${number}</a> `)}
      ${this.routes.outlet()}`;
  }
}

customElements.define("gallery-page", GalleryPage);
