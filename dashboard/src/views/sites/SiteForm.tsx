import { lazy, Suspense } from "preact/compat";
import { useState } from "preact/hooks";
import { api, data } from "../../api/client";
import { ApiError, messageOf } from "../../api/errors";
import type { Schedule, UploadedList } from "../../api/types";
import { go } from "../../app/location";
import { may } from "../../app/session";
import { type Entries, problemsOf } from "../../ui/form/entries";
import { ScheduleFields, zone } from "../../ui/form/ScheduleFields";
import { UrlListControl } from "../../ui/form/UrlListControl";
import { counted } from "../../ui/format";
import { Field, Loading } from "../../ui/parts";
import { UrlField, withScheme } from "../../ui/UrlField";
import { pathTo } from "../routes";

const settings = () => import("./AllSettings");
const AllSettings = lazy(settings);
const MEDIA = [
  { value: "", label: "None" },
  { value: "images", label: "Images" },
  { value: "all", label: "Images, videos and documents" },
] as const;

/** Add a site and start its first crawl. */
export function SiteForm() {
  const [url, setUrl] = useState("");
  const [pages, setPages] = useState("1000");
  const [schedule, setSchedule] = useState<Schedule>({ frequency: "manual", cron: "", timezone: zone() });
  const [media, setMedia] = useState("");
  const [topic, setTopic] = useState("");
  const [list, setList] = useState("");
  const [chosen, setChosen] = useState<UploadedList>();
  const [uploading, setUploading] = useState(false);
  const [starts, setStarts] = useState(true);
  const [errors, setErrors] = useState<Record<string, string>>({});
  const [busy, setBusy] = useState(false);
  const [open, setOpen] = useState(false);
  const [more, setMore] = useState<Entries>({});
  const [problemsOfMore, setProblemsOfMore] = useState<Readonly<Record<string, string>>>({});

  const submit = async (event: Event) => {
    event.preventDefault();
    const found = problems(url, pages, schedule);
    setErrors(found);
    if (Object.keys(found).length) return;
    setBusy(true);
    try {
      const others = open ? (await settings()).read(more) : { settings: {}, problems: {} };
      if (Object.keys(others.problems).length) throw new InvalidSettings(others.problems);
      const site = await data(
        api.POST("/v1/sites", {
          body: {
            url: withScheme(url),
            settings: withList(
              withTopic(withMedia({ ...others.settings, max_pages: Number(pages) }, media), topic),
              list,
            ),
            schedule,
          },
        }),
      );
      if (!starts) return go(pathTo.site(site.site));
      const crawl = await data(api.POST("/v1/sites/{site}/crawls", { params: { path: { site: site.site } } }));
      go(pathTo.crawl(crawl.crawl));
    } catch (error) {
      const ofMore = error instanceof InvalidSettings ? error.problems : {};
      if (error instanceof InvalidSettings) setErrors({ form: error.message });
      else setErrors(errorsOf(error));
      setProblemsOfMore(open && !(error instanceof InvalidSettings) ? await problemsIn(error) : ofMore);
      setBusy(false);
    }
  };

  return (
    <form class="stack" onSubmit={submit} noValidate>
      <UrlField
        label="Address of the site"
        hint="The crawl starts here and stays on this host."
        error={errors.url}
        url={url}
        onUrl={setUrl}
      />
      <div class="form-row">
        <Field label="Most pages" hint="The crawl ends when it has read so many." error={errors.pages}>
          {(control) => (
            <input
              {...control}
              class="input"
              inputMode="numeric"
              value={pages}
              onInput={({ currentTarget }) => setPages(currentTarget.value)}
            />
          )}
        </Field>
        <Field label="Store media" hint="Files that the pages use, each stored once.">
          {(control) => (
            <select
              {...control}
              class="input"
              value={media}
              onChange={({ currentTarget }) => setMedia(currentTarget.value)}
            >
              {MEDIA.map(({ value, label }) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </select>
          )}
        </Field>
      </div>
      <Field
        label="Topic"
        hint="Words of the pages that matter most, separated by commas. Pages about them come first."
      >
        {(control) => (
          <input
            {...control}
            class="input"
            placeholder="pricing, invoices"
            value={topic}
            onInput={({ currentTarget }) => setTopic(currentTarget.value)}
          />
        )}
      </Field>
      <Field
        label="Only the URLs of a list"
        hint="A text file with one URL per line, perhaps compressed with gzip. No links are followed then."
        error={errors.url_list}
      >
        {(control) => (
          <UrlListControl
            control={control}
            list={list}
            onList={(id, known) => {
              setList(id);
              setChosen(known);
            }}
            onBusy={setUploading}
          />
        )}
      </Field>
      {chosen && chosen.urls > Number(pages) && (
        <p class="small setting-note">
          The list has {counted(chosen.urls, "URL")}. The crawl ends after {counted(Number(pages), "page")}: enter more
          above.
        </p>
      )}
      <ScheduleFields
        schedule={schedule}
        onSchedule={setSchedule}
        {...(errors.schedule ? { error: errors.schedule } : {})}
      />
      <details open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>All settings of the crawls</summary>
        {open && (
          <Suspense fallback={<Loading label="Loading the settings" />}>
            <AllSettings entries={more} onEntries={setMore} problems={problemsOfMore} />
          </Suspense>
        )}
      </details>
      <label class="row">
        <input type="checkbox" checked={starts} onChange={({ currentTarget }) => setStarts(currentTarget.checked)} />
        Start the first crawl now
      </label>
      {errors.form && (
        <div class="notice notice-bad" role="alert">
          <p>{errors.form}</p>
        </div>
      )}
      <div>
        <button type="submit" class="button button-main" disabled={busy || uploading || !may("write")}>
          {busy ? "One moment …" : starts ? "Add site and crawl" : "Add site"}
        </button>
      </div>
    </form>
  );
}

/** Some of the further settings cannot be sent. */
class InvalidSettings extends Error {
  constructor(readonly problems: Record<string, string>) {
    super("Some settings are wrong. They are marked above.");
  }
}

async function problemsIn(error: unknown): Promise<Readonly<Record<string, string>>> {
  return problemsOf(error, (await settings()).FIELDS).of;
}

/** Return the settings with the chosen media. */
function withMedia(given: Record<string, unknown>, media: string): Record<string, unknown> {
  if (!media) return given;
  return { ...given, media: { ...(given.media as object | undefined), include: groups(media) } };
}

/** Return the settings of a crawl of an uploaded list. */
export function withList(given: Record<string, unknown>, list: string): Record<string, unknown> {
  return list ? { ...given, discovery: "list", url_list: list } : given;
}

/** Return the settings of a crawl that requests pages about a topic first. */
export function withTopic(given: Record<string, unknown>, topic: string): Record<string, unknown> {
  const terms = topic
    .split(",")
    .map((term) => term.trim())
    .filter(Boolean);
  if (!terms.length) return given;
  return { strategy: "best_first", ...given, focus: { ...(given.focus as object | undefined), terms } };
}

function problems(url: string, pages: string, { frequency, cron = "" }: Schedule): Record<string, string> {
  const found: Record<string, string> = {};
  if (!url.trim()) found.url = "Enter the address of a site, such as https://example.com/";
  else if (!URL.canParse(withScheme(url))) found.url = "This is not a URL. Enter one such as https://example.com/";
  if (!/^[1-9]\d*$/.test(pages.trim())) found.pages = "Enter a whole number of at least 1.";
  if (frequency === "cron" && !cron.trim()) found.schedule = "Enter a cron expression, such as 30 4 * * 1-5";
  return found;
}

function errorsOf(error: unknown): Record<string, string> {
  if (error instanceof ApiError && error.status === 409) return { url: "This site is in your list already." };
  const message = messageOf(error);
  if (/^url\b/.test(message)) return { url: message };
  if (/^(settings\.)?url_list\b/.test(message)) return { url_list: message };
  return /cron|timezone/.test(message) ? { schedule: message, form: message } : { form: message };
}

function groups(media: string): ("images" | "videos" | "documents")[] {
  return media === "all" ? ["images", "videos", "documents"] : ["images"];
}
