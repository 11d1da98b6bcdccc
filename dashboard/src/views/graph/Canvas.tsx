import type { MutableRef } from "preact/hooks";
import { useEffect, useRef } from "preact/hooks";
import type { CameraState } from "sigma/types";
import { theme } from "../../app/session";
import type { Colouring } from "./colours";
import type { Layout } from "./layout";
import type { LinkGraph } from "./linkGraph";
import { type Look, Picture } from "./picture";
import type { Sections } from "./sections";

interface CanvasProps {
  graph: LinkGraph;
  sections: Sections;
  layout: Layout;
  colouring: Colouring;
  only: number;
  allLinks: boolean;
  chosen: number;
  onChoose: (node: number) => void;
  picture: MutableRef<Picture | undefined>; // for the buttons beside it
}

const ZOOM = 1.5;
const KEYS: Readonly<Record<string, (picture: Picture) => void>> = {
  ArrowLeft: (picture) => picture.pan(-1, 0),
  ArrowRight: (picture) => picture.pan(1, 0),
  ArrowUp: (picture) => picture.pan(0, -1),
  ArrowDown: (picture) => picture.pan(0, 1),
  "+": (picture) => picture.zoom(1 / ZOOM),
  "=": (picture) => picture.zoom(1 / ZOOM),
  "-": (picture) => picture.zoom(ZOOM),
  "0": (picture) => picture.showAll(),
};

export function Canvas(props: CanvasProps) {
  const { graph, sections, layout, colouring, only, allLinks, chosen, onChoose, picture } = props;
  const box = useRef<HTMLDivElement>(null);
  const camera = useRef<CameraState>(); // stays as it is when the graph grows
  const scheme = theme.value;
  const choose = useRef(onChoose);
  choose.current = onChoose;
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const site = { graph, sections, layout };
    const made = new Picture(element, site, lookOf(element, props), (node) => choose.current(node), camera.current);
    picture.current = made;
    made.choose(chosen, !camera.current);
    return () => {
      camera.current = made.close();
      picture.current = undefined;
    };
  }, [graph]);
  useEffect(() => {
    if (box.current) picture.current?.restyle(lookOf(box.current, props));
  }, [colouring, only, allLinks, scheme]);
  useEffect(() => picture.current?.choose(chosen), [chosen, allLinks]);
  return (
    <div
      ref={box}
      class="graph-canvas"
      tabIndex={0}
      role="application"
      aria-label="Link graph. Arrow keys move it, plus and minus zoom, 0 shows all of it."
      onKeyDown={(event) => {
        const act = KEYS[event.key];
        if (!act || !picture.current || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        act(picture.current);
      }}
    />
  );
}

function lookOf(element: HTMLElement, { colouring, only, allLinks }: CanvasProps): Look {
  const style = getComputedStyle(element);
  const dark = theme.value === "system" ? matchMedia("(prefers-color-scheme: dark)").matches : theme.value === "dark";
  const colours = { ink: hex(style.color), line: hex(style.borderTopColor), ground: hex(style.backgroundColor) };
  return { colouring, dark, only, allLinks, ...colours, faint: dark ? "#33404b" : "#d3dbe0" };
}

/** Return a computed colour as WebGL code reads it. */
function hex(colour: string): string {
  const [red = 0, green = 0, blue = 0] = (colour.match(/[\d.]+/g) ?? []).map(Number);
  return `#${[red, green, blue].map((part) => Math.round(part).toString(16).padStart(2, "0")).join("")}`;
}
