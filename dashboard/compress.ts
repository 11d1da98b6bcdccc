import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import type { Plugin } from "vite";

/** Write each file of the build also as .br and .gz, as the service has no time to compress. */
export function compressed(): Plugin {
  return {
    name: "compressed",
    apply: "build",
    writeBundle({ dir }) {
      if (!dir) return;
      for (const folder of [dir, join(dir, "assets")]) {
        for (const file of readdirSync(folder, { withFileTypes: true })) {
          if (!file.isFile() || /\.(br|gz)$/.test(file.name)) continue;
          const path = join(folder, file.name);
          const content = readFileSync(path);
          writeFileSync(`${path}.br`, brotliCompressSync(content));
          writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
        }
      }
    },
  };
}
