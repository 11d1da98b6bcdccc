import { useState } from "preact/hooks";
import type { BrandColour, CrawlBrand, SiteBrand } from "../../api/types";
import { Badge, Empty, Meter, OutsideLink } from "../../ui/parts";
import { inlineImage, safeColour } from "./colours";
import "./brand.css";

type Brand = Omit<CrawlBrand, "as_of_wave"> | Omit<SiteBrand, "crawl">;

const COLOURS = [
  { name: "primary", label: "Primary" },
  { name: "secondary", label: "Secondary" },
  { name: "accent", label: "Accent" },
  { name: "background", label: "Background" },
  { name: "text", label: "Text" },
] as const;
const LEVEL_AA = 4.5; // contrast ratio (WCAG 2.2, 1.4.3)

/** A brand. `why`: what to show if nothing is known of it. */
export function BrandBook({ brand, why }: { brand: Brand; why: string }) {
  const colours = COLOURS.flatMap(({ name, label }) => {
    const colour = brand[name];
    return colour ? [{ label, colour }] : [];
  });
  if (!colours.length && !brand.fonts.length && !brand.logo) {
    return (
      <div class="card">
        <Empty title="No brand is known">
          <p>{why}</p>
        </Empty>
      </div>
    );
  }
  const share = Math.round(brand.confidence * 100);
  return (
    <>
      <section class="card stack" aria-labelledby="colours">
        <h2 id="colours">Colours</h2>
        {colours.length ? (
          <ul class="swatches">
            {colours.map(({ label, colour }) => (
              <Swatch key={label} label={label} colour={colour} />
            ))}
          </ul>
        ) : (
          <p class="muted">None were recognised.</p>
        )}
        <dl class="facts">
          <Contrast label="Text on background" ratio={brand.text_contrast} />
          <Contrast label="Button in primary" ratio={brand.button_contrast} />
        </dl>
      </section>
      <div class="cards cards-top">
        <Fonts brand={brand} />
        <Logo brand={brand} />
        <section class="card stack" aria-labelledby="certainty">
          <h2 id="certainty">Certainty</h2>
          <p>{share} % of primary colour, fonts and logo are known.</p>
          <Meter value={share} most={100} label="Known part of the brand" />
        </section>
      </div>
    </>
  );
}

function Swatch({ label, colour }: { label: string; colour: BrandColour }) {
  const shown = safeColour(colour.hex);
  return (
    <li class="swatch">
      <div class="swatch-colour" style={shown ? { backgroundColor: shown } : {}} aria-hidden="true" />
      <div class="row row-apart">
        <div>
          <strong>{label}</strong>
          <div class="mono">{colour.hex}</div>
        </div>
        <Copy value={colour.hex} label={`Copy the colour ${label}`} />
      </div>
      <Evidence source={colour.source} confidence={colour.confidence} />
    </li>
  );
}

function Contrast({ label, ratio }: { label: string; ratio: number | null }) {
  if (ratio === null) return null;
  const enough = ratio >= LEVEL_AA;
  return (
    <>
      <dt>{label}</dt>
      <dd class="row">
        <span class="number">{ratio.toFixed(1)} : 1</span>
        <Badge tone={enough ? "good" : "bad"}>{enough ? "meets level AA" : "below level AA (4.5 : 1)"}</Badge>
      </dd>
    </>
  );
}

function Fonts({ brand }: { brand: Brand }) {
  return (
    <section class="card stack" aria-labelledby="fonts">
      <h2 id="fonts">Fonts</h2>
      {brand.fonts.length ? (
        <ul class="values">
          {brand.fonts.map(({ family, role, source, confidence }, index) => (
            <li key={index}>
              <div class="row row-apart">
                <span class="break">
                  <strong>{family}</strong> {role && <span class="muted">{role}</span>}
                </span>
                <Copy value={family} label={`Copy the name of the font ${family}`} />
              </div>
              <Evidence source={source} confidence={confidence} />
            </li>
          ))}
        </ul>
      ) : (
        <p class="muted">The site brings no fonts of its own.</p>
      )}
    </section>
  );
}

function Logo({ brand: { logo } }: { brand: Brand }) {
  const inside = logo ? inlineImage(logo.url) : "";
  return (
    <section class="card stack" aria-labelledby="logo">
      <h2 id="logo">Logo</h2>
      {logo ? (
        <>
          {inside && <img class="brand-logo" src={inside} alt="Logo of the site" />}
          <div class="row row-apart">
            {inside ? <span>SVG image inside the page</span> : <OutsideLink url={logo.url} />}
            <Copy value={logo.url} label="Copy the logo's address" />
          </div>
          <Evidence source={logo.source} confidence={logo.confidence} />
        </>
      ) : (
        <p class="muted">None was recognised.</p>
      )}
    </section>
  );
}

function Evidence({ source, confidence }: { source: string; confidence: number }) {
  return (
    <p class="muted small break">
      {source === "set" ? "set" : `from ${source}, ${Math.round(confidence * 100)} % certain`}
    </p>
  );
}

function Copy({ value, label }: { value: string; label: string }) {
  const [copied, setCopied] = useState(false);
  if (!globalThis.navigator?.clipboard) return null; // only in secure contexts
  const copy = async () => {
    await navigator.clipboard.writeText(value);
    setCopied(true);
  };
  return (
    <button type="button" class="button button-small" aria-label={label} onClick={() => copy().catch(() => undefined)}>
      {copied ? "Copied" : "Copy"}
    </button>
  );
}
