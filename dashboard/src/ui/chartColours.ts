/** Return a colour of the style sheet as the browser computes it: a canvas does not know light-dark(). */
export function chartColours(element: HTMLElement): (name: string) => string {
  const style = getComputedStyle(element);
  return (name) => {
    const probe = document.createElement("span");
    probe.style.color = style.getPropertyValue(name);
    element.append(probe);
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  };
}
