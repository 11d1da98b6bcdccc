import { createMemoryHistory } from "vue-router";
import { renderToString } from "vue/server-renderer";
import { createGazette, paths } from "./gazette.js";

export { paths };

/** Return the title and the HTML of the page at `path`. */
export async function render(path) {
  const { app, router } = createGazette(createMemoryHistory());
  await router.push(path);
  await router.isReady();
  return { title: router.currentRoute.value.meta.title, page: await renderToString(app) };
}
