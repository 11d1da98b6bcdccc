import { defineConfig } from "vitest/config";
import { compressed } from "./compress";
import { schemas } from "./schemas";

const api = process.env.WAVECRAWL_URL ?? "http://127.0.0.1:8787";

export default defineConfig({
  esbuild: { jsx: "automatic", jsxImportSource: "preact" },
  plugins: [schemas(), compressed()],
  build: {
    outDir: "../layers/wavecrawl/python/wavecrawl/dashboard_files",
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0, // the policy of the page allows no fonts or scripts in data: URLs
    modulePreload: { polyfill: false },
  },
  server: { fs: { allow: [".."] }, proxy: { "/v1": api, "/docs": api, "/openapi.json": api } },
  test: { include: ["src/**/*.test.ts"], environment: "node" },
});
