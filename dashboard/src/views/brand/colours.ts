/** Return a colour that is safe as a style, "" if the value is no colour of the form #rrggbb. */
export function safeColour(hex: string): string {
  return /^#[0-9a-f]{6}$/i.test(hex) ? hex : "";
}

/** Return the source of an image inside the page, "" if the logo is anything else: other sites' images are not loaded. */
export function inlineImage(url: string): string {
  return /^data:image\/svg\+xml[;,]/i.test(url) ? url : "";
}
