import { html, LitElement } from "lit";

class AboutPage extends LitElement {
  render() {
    return html`<h1>About</h1>
      <p>All photographs are by one person.</p>
      <slot></slot>
      <a href="/about/prints">Prints</a>`;
  }
}

customElements.define("about-page", AboutPage);
