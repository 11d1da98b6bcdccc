import { createSSRApp } from "vue";
import { createRouter } from "vue-router";
import Gazette from "./Gazette.vue";
import Article from "./pages/Article.vue";
import Issue from "./pages/Issue.vue";
import { issues } from "./issues.js";

const routes = Object.entries(issues).flatMap(([year, articles]) => [
  { path: `/issues/${year}`, component: Issue, props: { year }, meta: { title: `Issue of ${year}` } },
  ...Object.entries(articles).map(([name, article]) => ({
    path: `/issues/${year}/${name}`,
    component: Article,
    props: { year, ...article },
    meta: { title: article.title },
  })),
]);

const pages = [
  { path: "/", component: () => import("./pages/Home.vue"), meta: { title: "The gazette" } },
  { path: "/write-to-us", component: () => import("./pages/Letters.vue"), meta: { title: "Write to us" } },
  ...routes,
];

export const paths = pages.map((page) => page.path);

/** Return the application with its router, for one page on the server or for the browser. */
export function createGazette(history) {
  const router = createRouter({ history, routes: pages });
  return { app: createSSRApp(Gazette).use(router), router };
}
