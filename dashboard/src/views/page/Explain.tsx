import { place } from "../../app/location";
import { OutsideLink, Title } from "../../ui/parts";
import { pathTo } from "../routes";
import { Why } from "./Why";

/** A URL that was not requested: why. */
export default function Explain({ crawl }: { crawl: string }) {
  const url = place.value.query.get("url") ?? "";
  return (
    <>
      <div class="stack-small">
        <a href={pathTo.pages(crawl, "list=urls")} class="small">
          All URLs of the crawl
        </a>
        <Title text={url}>
          <OutsideLink url={url} />
        </Title>
      </div>
      <Why crawl={crawl} url={url} />
    </>
  );
}
