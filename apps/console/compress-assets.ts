import { readdir, readFile, writeFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Plugin } from "vite";

/** Fonts are compressed already. */
const COMPRESSIBLE = new Set([".js", ".css", ".html", ".svg"]);
/** Its highest takes many times as long for a few percent. */
const QUALITY = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
/** Below, the headers are most of what is sent. */
const WORTH_BYTES = 1024;

/** Leaves a `.br` and a `.gz` beside every file that is worth it, so that serving one costs no time. */
export function compressAssets(): Plugin {
  return {
    name: "compress-assets",
    apply: "build",
    async writeBundle({ dir = "dist" }) {
      const entries = await readdir(dir, { recursive: true, withFileTypes: true });
      const files = entries.filter((entry) => entry.isFile() && COMPRESSIBLE.has(extname(entry.name)));
      await Promise.all(files.map(({ parentPath, name }) => compress(join(parentPath, name))));
    },
  };
}

async function compress(path: string): Promise<void> {
  const content = await readFile(path);
  if (content.length < WORTH_BYTES) {
    return;
  }
  const [br, gz] = await Promise.all([promisify(brotliCompress)(content, QUALITY), promisify(gzip)(content, { level: 9 })]);
  await Promise.all([writeFile(`${path}.br`, br), writeFile(`${path}.gz`, gz)]);
}
