import type { Problems } from "../../ui/form/entries";
import { type Entries, settingsFrom } from "../../ui/form/entries";
import { settingsOf } from "../../ui/form/fields";
import { SettingsForm } from "../../ui/form/SettingsForm";
import { Show } from "../../ui/Show";
import { useBounds } from "../settings/bounds";
import "../settings/settings.css";

const OF_THE_FORM = new Set(["max_pages", "media.include", "focus.terms", "url_list"]); // they have controls of their own
const { fields: ALL, groups: GROUPS } = settingsOf("CrawlSettings");

export const FIELDS = ALL.filter(({ path }) => !OF_THE_FORM.has(path));

/** Return the settings of the entries, or what is wrong with them. */
export function read(entries: Entries) {
  return settingsFrom(entries, FIELDS);
}

interface Props {
  entries: Entries;
  onEntries: (entries: Entries) => void;
  problems: Problems["of"];
}

/** All other settings of the crawls of a new site. */
export default function AllSettings({ entries, onEntries, problems }: Props) {
  const bounds = useBounds();
  return (
    <Show loaded={bounds} label="Loading the limits">
      {({ defaults, notes }) => (
        <SettingsForm
          fields={FIELDS}
          groups={GROUPS}
          entries={entries}
          onEntries={onEntries}
          problems={problems}
          defaults={defaults}
          notes={notes}
        />
      )}
    </Show>
  );
}
