import Graphology from "graphology";
import Sigma from "sigma";
import { EdgeLineProgram, NodeCircleProgram, NodePointProgram } from "sigma/rendering";
import type { CameraState } from "sigma/types";
import { pathOf } from "../../ui/format";
import type { Colouring } from "./colours";
import type { Layout } from "./layout";
import { type LinkGraph, linksFrom, linksTo, NO_NODE } from "./linkGraph";
import type { Sections } from "./sections";

/** More links are drawn only on request; before, those of the shortest paths. */
export const MOST_LINKS = 20_000;
const MOST_PAGES = 5_000; // above, a picture of the whole site shows the sections
const NEAR = 0.5; // camera ratio below which pages are shown
const MOST_OF_NODE = 400; // links of the chosen page that are drawn in each direction
const DISTANCE = 0.25; // of a key press, as a share of the window
const RADIUS = 0.6; // of a page, in units of the layout

export interface Look {
  colouring: Colouring;
  dark: boolean;
  only: number; // class that is highlighted, or -1
  allLinks: boolean;
  ink: string;
  line: string;
  ground: string;
  faint: string;
}

interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

interface Site {
  graph: LinkGraph;
  sections: Sections;
  layout: Layout;
}

/** The graph in WebGL: pages, or sections of a large site while all of it is in view. */
export class Picture {
  private readonly sigma: Sigma;
  private readonly large: boolean;
  private readonly overview: Graphology;
  private pages: Graphology | undefined;
  private showsPages: boolean;
  private look: Look;
  private chosen = NO_NODE;
  private labels: Box[] = []; // of the frame that is drawn

  constructor(
    private readonly box: HTMLElement,
    private readonly site: Site,
    look: Look,
    private readonly onChoose: (node: number) => void,
    camera?: CameraState,
  ) {
    this.look = look;
    this.large = site.graph.size > MOST_PAGES;
    this.showsPages = !this.large;
    this.overview = this.sectionsGraph();
    this.sigma = new Sigma(this.large ? this.overview : this.pagesGraph(), box, {
      // Circles are drawn as instances. Without a graphics card, 50,000 instances take half a second per frame.
      nodeProgramClasses: { point: NodePointProgram, circle: NodeCircleProgram },
      defaultNodeType: "point",
      edgeProgramClasses: { line: EdgeLineProgram },
      hideEdgesOnMove: true,
      hideLabelsOnMove: true,
      itemSizesReference: "positions",
      zoomToSizeRatioFunction: (ratio) => ratio,
      minEdgeThickness: 0,
      labelRenderedSizeThreshold: 7,
      labelFont: "system-ui, sans-serif",
      labelColor: { color: look.ink },
      defaultEdgeColor: look.faint,
      labelDensity: 0.6,
      defaultDrawNodeLabel: (context, one, settings) => {
        context.font = `${settings.labelWeight} ${settings.labelSize}px ${settings.labelFont}`;
        const left = one.x + one.size;
        const right = left + context.measureText(one.label ?? "").width + settings.labelSize;
        const box = { left, right, top: one.y - settings.labelSize / 2, bottom: one.y + settings.labelSize / 2 };
        if (this.labels.some((other) => overlap(box, other))) return;
        this.labels.push(box);
        context.strokeStyle = this.look.ground; // so that a label can be read on a page
        context.lineWidth = 4;
        context.lineJoin = "round";
        context.fillStyle = this.look.ink;
        const place = [one.x + one.size + 3, one.y + settings.labelSize / 3] as const;
        context.strokeText(one.label ?? "", ...place);
        context.fillText(one.label ?? "", ...place);
      },
      zIndex: true,
      minCameraRatio: 0.005,
      maxCameraRatio: 2,
      defaultDrawNodeHover: (context, one, settings) => {
        context.font = `${settings.labelSize}px ${settings.labelFont}`;
        context.strokeStyle = this.look.ink;
        context.lineWidth = 2;
        context.beginPath();
        context.arc(one.x, one.y, one.size + 2, 0, 2 * Math.PI);
        context.stroke();
        context.fillStyle = this.look.ink;
        if (one.label) context.fillText(one.label, one.x + one.size + 5, one.y + settings.labelSize / 3);
      },
    });
    this.sigma.on("clickNode", ({ node }) => {
      if (node.startsWith("s")) this.showSection(Number(node.slice(1)));
      else this.onChoose(Number(node));
    });
    this.sigma.on("beforeRender", () => {
      this.labels = [];
    });
    this.sigma.getCamera().on("updated", ({ ratio }) => this.showFor(ratio));
    if (camera) this.sigma.getCamera().setState(camera);
  }

  /** Remove the picture. Return the part of the graph that is in view. */
  close(): CameraState {
    const camera = this.sigma.getCamera().getState();
    this.sigma.kill();
    return camera;
  }

  /** Change colours or links. */
  restyle(look: Look): void {
    const links = look.allLinks !== this.look.allLinks;
    const theme = look.faint !== this.look.faint || look.ink !== this.look.ink;
    this.look = look;
    this.sigma.setSetting("labelColor", { color: look.ink });
    this.sigma.setSetting("defaultEdgeColor", look.faint);
    if (links) {
      this.pages = undefined;
      if (this.showsPages) this.sigma.setGraph(this.pagesGraph());
      return;
    }
    this.pages?.updateEachNodeAttributes(
      (node, old) => ({ ...old, color: this.colourOf(Number(node)), zIndex: this.levelOf(Number(node)) }),
      { attributes: ["color", "zIndex"] },
    );
    this.overview.updateEachNodeAttributes((_, old) => ({ ...old, color: look.line }), { attributes: ["color"] });
    if (theme && this.chosen !== NO_NODE) this.choose(this.chosen, false);
  }

  /** Show a page with its links, and move to it if `follow`. */
  choose(node: number, follow = true): void {
    const { graph } = this.site;
    if (node === NO_NODE && this.chosen === NO_NODE) return;
    const pages = this.pagesGraph();
    for (const edge of pages.filterEdges((one) => one.startsWith("chosen"))) pages.dropEdge(edge);
    this.chosen = node;
    if (node === NO_NODE) return;
    const style = { color: this.look.ink, size: 0.2, zIndex: 1 };
    for (const other of linksFrom(graph, node).slice(0, MOST_OF_NODE)) {
      pages.addEdgeWithKey(`chosen>${other}`, String(node), String(other), style);
    }
    for (const other of linksTo(graph, node).slice(0, MOST_OF_NODE)) {
      pages.addEdgeWithKey(`chosen<${other}`, String(other), String(node), style);
    }
    this.usePages(true);
    if (!follow) return;
    const shown = this.sigma.getNodeDisplayData(String(node));
    const ratio = Math.min(this.sigma.getCamera().ratio, Math.max(0.02, 25 / Math.sqrt(graph.size + 1)));
    if (shown) this.move({ x: shown.x, y: shown.y, ratio: Math.min(ratio, 1) });
  }

  showSection(section: number): void {
    const disc = this.site.layout.discs[section];
    if (!disc) return;
    const at = this.sigma.viewportToFramedGraph(this.sigma.graphToViewport(disc));
    const [from, to] = this.sigma.getBBox().x;
    this.move({ ...at, ratio: Math.min(NEAR - 0.01, (2.4 * disc.r) / (to - from || 1)) });
  }

  zoom(factor: number): void {
    this.move({ ratio: this.sigma.getCamera().ratio * factor });
  }

  showAll(): void {
    this.move({ x: 0.5, y: 0.5, ratio: 1 });
  }

  /** Move by shares of the window: right and down are positive. */
  pan(right: number, down: number): void {
    const { x, y, ratio } = this.sigma.getCamera();
    this.move({ x: x + right * DISTANCE * ratio, y: y - down * DISTANCE * ratio });
  }

  private move(to: Partial<{ x: number; y: number; ratio: number }>): void {
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    void this.sigma.getCamera().animate(to, { duration: still ? 0 : 250 });
  }

  private showFor(ratio: number): void {
    if (this.large && this.chosen === NO_NODE) this.usePages(ratio < NEAR);
  }

  private usePages(wanted: boolean): void {
    if (wanted === this.showsPages) return;
    this.showsPages = wanted;
    this.sigma.setGraph(wanted ? this.pagesGraph() : this.overview);
    this.box.dataset.shows = wanted ? "pages" : "sections";
  }

  private pagesGraph(): Graphology {
    if (this.pages) return this.pages;
    const { graph, layout } = this.site;
    const made = new Graphology({ type: "directed", multi: true, allowSelfLoops: true });
    for (let node = 0; node < graph.size; node++) {
      made.addNode(String(node), {
        x: layout.x[node] ?? 0,
        y: layout.y[node] ?? 0,
        size: node ? RADIUS : 1.4 * RADIUS,
        label: graph.titles[node] || pathOf(graph.urls[node] ?? "", graph.urls[0] ?? ""),
        color: this.colourOf(node),
        zIndex: this.levelOf(node),
      });
    }
    const style = { size: 0.1, zIndex: 0 };
    if (this.look.allLinks || graph.targets.length <= MOST_LINKS) {
      for (let source = 0, link = 0; source < graph.size; source++) {
        for (; link < (graph.first[source + 1] ?? 0); link++) {
          made.addEdge(String(source), String(graph.targets[link]), style);
        }
      }
    } else {
      graph.parent.forEach((parent, node) => {
        if (parent !== NO_NODE) made.addEdge(String(parent), String(node), style);
      });
    }
    this.pages = made;
    return made;
  }

  private sectionsGraph(): Graphology {
    const { graph, sections, layout } = this.site;
    const made = new Graphology({ type: "directed" });
    layout.discs.forEach(({ x, y, r }, section) => {
      const label = `${sections.names[section]} (${sections.counts[section]})`;
      made.addNode(`s${section}`, {
        type: "circle",
        x,
        y,
        size: r * 0.96,
        label,
        forceLabel: true,
        color: this.look.line,
      });
    });
    const seen = new Set<number>();
    for (let source = 0, link = 0; source < graph.size; source++) {
      for (; link < (graph.first[source + 1] ?? 0); link++) {
        const [from = 0, to = 0] = [sections.of[source], sections.of[graph.targets[link] ?? 0]];
        if (from === to || seen.has(from * 65_536 + to)) continue;
        seen.add(from * 65_536 + to);
        made.addEdge(`s${from}`, `s${to}`, { size: 0.3 });
      }
    }
    return made;
  }

  private levelOf(node: number): number {
    return this.look.colouring.of[node] === this.look.only ? 1 : 0;
  }

  private colourOf(node: number): string {
    const { colouring, dark, only, faint } = this.look;
    const index = colouring.of[node] ?? 0;
    if (only >= 0 && index !== only) return faint;
    const found = colouring.classes[index];
    return (dark ? found?.dark : found?.light) ?? faint;
  }
}

function overlap(one: Box, other: Box): boolean {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
}

/** Return whether this browser can draw with WebGL. */
export function canDraw(): boolean {
  const canvas = document.createElement("canvas");
  return Boolean(canvas.getContext("webgl2") ?? canvas.getContext("webgl"));
}
