// Build the applications into the folder given as the argument, one folder each.
import { execFile } from "node:child_process";
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import vue from "@vitejs/plugin-vue";
import { build } from "vite";

const here = dirname(fileURLToPath(import.meta.url));
const out = resolve(process.argv[2]);
process.env.APPS_BUILD = out; // read by svelte/svelte.config.js
process.env.NODE_ENV = "production";

const common = { configFile: false, logLevel: "error", cacheDir: join(out, "work", "vite"), esbuild: { jsx: "automatic" } };
const target = "es2022"; // with await outside functions

/** Build an application of one HTML file. */
async function single(name, plugins = []) {
  await build({ ...common, root: join(here, name), plugins, build: { target, outDir: join(out, name), emptyOutDir: true } });
}

/** Mark a folder as one of modules. Node.js 18 does not look into the files. */
async function modules(folder) {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "package.json"), '{"type":"module"}');
}

/** Build the static export of SvelteKit, which must run in the folder of the application. */
async function svelte() {
  await modules(join(here, "node_modules", ".svelte-kit")); // the folder in svelte/svelte.config.js
  const vite = join(here, "node_modules", "vite", "bin", "vite.js");
  await promisify(execFile)(process.execPath, [vite, "build", "--logLevel", "error"], { cwd: join(here, "svelte") });
}

/** Build the application for the browser and for the server, and write each page as the server renders it. */
async function hydrated() {
  const root = join(here, "hydrated");
  const work = join(out, "work", "hydrated");
  await build({ ...common, root, plugins: [vue()], build: { target, outDir: join(out, "hydrated"), emptyOutDir: true } });
  await build({
    ...common,
    root,
    plugins: [vue()],
    build: { ssr: "src/server.js", outDir: work, emptyOutDir: true },
    ssr: { noExternal: true },
  });
  await modules(work);
  const { paths, render } = await import(pathToFileURL(join(work, "server.js")));
  const template = await readFile(join(out, "hydrated", "index.html"), "utf8");
  for (const path of paths) {
    const { title, page } = await render(path);
    const file = join(out, "hydrated", path === "/" ? "index.html" : `${path}.html`);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, template.replace("%title%", () => title).replace("%page%", () => page));
  }
}

await rm(out, { recursive: true, force: true });
await single("react");
await single("vue", [vue()]);
await single("lit");
await hydrated();
await svelte();
await cp(join(here, "plain"), join(out, "plain"), { recursive: true });
await rm(join(out, "work"), { recursive: true, force: true });
