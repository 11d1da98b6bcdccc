import type { Crawl } from "../../api/types";
import { counted, dateTime } from "../../ui/format";
import { Field } from "../../ui/parts";

interface CrawlChoiceProps {
  label: string;
  crawls: readonly Crawl[];
  chosen: string;
  onChoose: (crawl: string) => void;
}

/** Chooses one of several crawls of a site. */
export function CrawlChoice({ label, crawls, chosen, onChoose }: CrawlChoiceProps) {
  return (
    <Field label={label}>
      {(control) => (
        <select
          {...control}
          class="input"
          value={chosen}
          onChange={({ currentTarget }) => onChoose(currentTarget.value)}
        >
          {crawls.map((one) => (
            <option key={one.crawl} value={one.crawl}>
              {dateTime(one.started_at)} ({counted(one.counters.fetched, "page")})
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
