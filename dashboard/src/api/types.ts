/** The models of the API, generated from its OpenAPI document (`make dashboard`). */
import type { components, operations } from "./schema";

type Schemas = components["schemas"];

<<<<<<< HEAD
export type BrandColour = Schemas["BrandColour"];
=======
export type ApiKey = Schemas["ApiKey"];
export type ApiKeyWithSecret = Schemas["ApiKeyWithSecret"];
export type CallerDetail = Schemas["CallerDetail"];
>>>>>>> main
export type Crawl = Schemas["Crawl"];
export type CrawlBrand = Schemas["CrawlBrand"];
export type CrawlDetail = Schemas["CrawlDetail"];
export type CrawlDiff = Schemas["CrawlDiff"];
export type CrawlProgress = Schemas["CrawlProgress"];
export type CrawlStatus = Schemas["CrawlStatus"];
export type CrawlUrl = Schemas["CrawlUrl"];
export type DiffKind = Schemas["DiffKind"];
export type Difference = Schemas["Difference"];
export type ExportFile = Schemas["ExportFile"];
export type FoundPassage = Schemas["FoundPassage"];
export type Frequency = Schemas["Frequency"];
<<<<<<< HEAD
export type Objective = Schemas["Objective"];
=======
export type Graph = Schemas["Graph"];
>>>>>>> main
export type Page = Schemas["Page"];
export type PageDetail = Schemas["PageDetail"];
export type PageLink = Schemas["PageLink"];
export type PageMedia = Schemas["PageMedia"];
export type PageOrder = Schemas["PageOrder"];
export type Problem = Schemas["Problem"];
<<<<<<< HEAD
export type SearchMode = Schemas["SearchMode"];
=======
export type Role = Schemas["Role"];
export type Schedule = Schemas["Schedule"];
>>>>>>> main
export type Site = Schemas["Site"];
export type SiteBrand = Schemas["SiteBrand"];
export type SiteDetail = Schemas["SiteDetail"];
export type SiteSchedule = Schemas["SiteSchedule"];
export type Tenant = Schemas["Tenant"];
export type TenantDetail = Schemas["TenantDetail"];
export type TenantSettings = Schemas["TenantSettings"];
export type TextChange = Schemas["TextChange"];
export type UrlExplanation = Schemas["UrlExplanation"];
export type UrlState = Schemas["UrlState"];
export type Usage = Schemas["Usage"];
export type Webhook = Schemas["Webhook"];
export type WebhookEvent = Schemas["WebhookEvent"];
export type WebhookWithSecret = Schemas["WebhookWithSecret"];
export type Delivery = Schemas["Delivery"];
export type PagesQuery = NonNullable<operations["list_pages"]["parameters"]["query"]>;
export type UrlsQuery = NonNullable<operations["list_urls"]["parameters"]["query"]>;
