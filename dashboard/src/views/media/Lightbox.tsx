import { Fragment } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { api, data } from "../../api/client";
import type { Asset, CrawlDetail, MediaUrl } from "../../api/types";
import { useData } from "../../api/useData";
import { bytes, count, words } from "../../ui/format";
import { Icon } from "../../ui/icons";
import { OutsideLink, StateBadge } from "../../ui/parts";
import { Show } from "../../ui/Show";
import { nameOf, saved } from "./sizes";
import { Uses } from "./Uses";

interface LightboxProps {
  crawl: CrawlDetail;
  media: MediaUrl;
  close: () => void;
  previous?: () => void;
  next?: () => void;
}

/** A media URL with its file, facts and pages. Escape closes it; the arrow keys show the media before and after it. */
export function Lightbox({ crawl, media, close, previous, next }: LightboxProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const opener = document.activeElement;
    dialog.current?.showModal();
    return () => opener instanceof HTMLElement && opener.focus();
  }, []);
  const onKey = (event: KeyboardEvent) => {
    if ((event.target as HTMLElement).closest("video, pre")) return; // they use the arrow keys themselves
    if (event.key === "ArrowLeft") previous?.();
    if (event.key === "ArrowRight") next?.();
  };
  return (
    <dialog ref={dialog} class="lightbox" aria-labelledby="lightbox-name" onClose={close} onKeyDown={onKey}>
      <div class="stack">
        <div class="row row-apart">
          <h2 id="lightbox-name" class="break">
            {media.title || nameOf(media.url)}
          </h2>
          <div class="row">
            <button type="button" class="button" aria-disabled={!previous} onClick={previous}>
              Previous
            </button>
            <button type="button" class="button" aria-disabled={!next} onClick={next}>
              Next
            </button>
            <button type="button" class="button" onClick={() => dialog.current?.close()}>
              Close
            </button>
          </div>
        </div>
        {media.hash && <Stored key={media.hash} media={media} />}
        <Facts media={media} />
        {media.hash && <Uses key={media.key} crawl={crawl} media={media} />}
      </div>
    </dialog>
  );
}

/** The stored file. Its URL is requested again, as that of the gallery is valid for an hour only. */
function Stored({ media }: { media: MediaUrl }) {
  const loaded = useData(
    (signal) => data(api.GET("/v1/media/{asset}", { params: { path: { asset: media.hash } }, signal })),
    [media.hash],
  );
  return (
    <Show loaded={loaded} label="Loading the file" lines={2}>
      {(asset) => (
        <>
          <Preview asset={asset} />
          {asset.download_url && (
            <div>
              <a class="button" href={asset.download_url} download>
                <Icon name="download" /> Download {asset.extension}
              </a>
            </div>
          )}
        </>
      )}
    </Show>
  );
}

function Preview({ asset }: { asset: Asset }) {
  const [broken, setBroken] = useState(false);
  const { kind, download_url, text } = asset;
  if (kind === "document") {
    return text ? (
      <pre class="media-text" tabIndex={0} role="region" aria-label="Beginning of the text">
        {text}
      </pre>
    ) : null;
  }
  if (!download_url || broken) return <p class="muted">The stored file cannot be shown here.</p>;
  if (kind === "video") {
    // biome-ignore lint/a11y/useMediaCaption: captions of a crawled video are not known
    return <video class="media-shown" src={download_url} controls preload="metadata" onError={() => setBroken(true)} />;
  }
  return <img class="media-shown" src={download_url} alt="" onError={() => setBroken(true)} />;
}

function Facts({ media }: { media: MediaUrl }) {
  const { width, height, size, stored_bytes: stored } = media;
  const less = size !== null && stored !== null && stored < size ? saved({ size, stored }) : null;
  const rows = [
    ["Dimensions", width && height ? `${count(width)} × ${count(height)} pixels` : ""],
    ["Pages", media.pages ? count(media.pages) : ""],
    ["Original size", size === null ? "" : bytes(size)],
    ["Stored size", stored === null ? "" : `${bytes(stored)}, ${media.media_type}`],
    ["Saved", less ? `${less.bytes} (${less.share})` : ""],
    ["Reason", words(media.reason)],
    ["Details", media.detail],
    ["Problem", media.problem],
    ["Embed code", media.embed_code],
  ].filter(([, value]) => value);
  return (
    <dl class="facts">
      <dt>URL</dt>
      <dd>
        <OutsideLink url={media.url} />
      </dd>
      <dt>State</dt>
      <dd>
        <StateBadge state={media.state} />
      </dd>
      {rows.map(([name, value]) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </Fragment>
      ))}
      {media.duplicate_of && (
        <>
          <dt>Same content as</dt>
          <dd>
            <OutsideLink url={media.duplicate_of} />
          </dd>
        </>
      )}
    </dl>
  );
}
