import { useState } from "preact/hooks";
import type { MediaUrl } from "../../api/types";
import { counted } from "../../ui/format";
import { Badge } from "../../ui/parts";
import { facts, nameOf, stateOf } from "./sizes";

/** A media URL in the gallery. It opens the lightbox. */
export function Card({ media, open }: { media: MediaUrl; open: () => void }) {
  return (
    <li>
      <button type="button" class="card media-card" onClick={open}>
        <span class="media-thumbnail">
          <Thumbnail media={media} />
        </span>
        <span class="break media-name">{media.title || nameOf(media.url)}</span>
        <span class="muted small number">{facts(media)}</span>
        <span class="muted small">used on {counted(media.uses, "page")}</span>
        {!media.hash && <Badge tone={media.state === "skipped" ? "warn" : "bad"}>{stateOf(media)}</Badge>}
        {media.duplicate_of && <Badge>duplicate</Badge>}
      </button>
    </li>
  );
}

function Thumbnail({ media }: { media: MediaUrl }) {
  const [broken, setBroken] = useState(false);
  const { kind, download_url, width, height } = media;
  if (kind === "image" && download_url && !broken) {
    const size = width && height ? { width, height } : {};
    return <img src={download_url} alt="" loading="lazy" decoding="async" {...size} onError={() => setBroken(true)} />;
  }
  return <span class="muted">{broken ? "cannot be shown" : kind}</span>;
}
