import { html, LitElement } from "lit";

class GalleryList extends LitElement {
  static properties = { galleries: { state: true } };

  constructor() {
    super();
    this.galleries = null;
  }

  async connectedCallback() {
    super.connectedCallback();
    const response = await fetch("/data/galleries.json");
    this.galleries = await response.json();
  }

  render() {
    if (this.galleries === null) return html`<p>Loading...</p>`;
    return html`<h1>All galleries</h1>
      ${this.galleries.map((one) => html`<gallery-card .gallery=${one}></gallery-card>`)}`;
  }
}

// Its link is three shadow roots below the document.
class GalleryCard extends LitElement {
  static properties = { gallery: {} };

  render() {
    return html`<article>
      <a href="/galleries/${this.gallery.id}">${this.gallery.name}</a>
    </article>`;
  }
}

customElements.define("gallery-list", GalleryList);
customElements.define("gallery-card", GalleryCard);
