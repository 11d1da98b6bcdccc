import { html, LitElement } from "lit";

// The link of the menu is in the document only while the menu is open.
class SiteMenu extends LitElement {
  static properties = { open: { state: true } };

  constructor() {
    super();
    this.open = false;
  }

  render() {
    return html`<button aria-expanded=${this.open} @click=${() => (this.open = !this.open)}>Menu</button>
      ${this.open ? html`<a href="/visit">Visit</a>` : ""}`;
  }
}

customElements.define("site-menu", SiteMenu);
