import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

/** Fonts are compressed already. */
const COMPRESSIBLE = new Set([".js", ".css", ".html", ".svg"]);
/** Its highest takes many times as long for a few percent. */
const QUALITY = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
/** Below, the headers are most of what is sent. */
const WORTH_BYTES = 1024;

/** Leaves a `.br` and a `.gz` beside every file that is worth it, so that serving one costs no time. */
function compressAssets(): Plugin {
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

/** Asks for the font of all text with the page's script: it would come after the first words, and move them. */
function preloadFont(): Plugin {
  return {
    name: "preload-font",
    apply: "build",
    transformIndexHtml(_html, { bundle = {} }) {
      const font = Object.keys(bundle).find((file) => /inter-latin-wght-normal.*\.woff2$/.test(file));
      const attrs = { rel: "preload", as: "font", type: "font/woff2", crossorigin: "", href: `/${font}` };
      return font === undefined ? [] : [{ tag: "link", attrs, injectTo: "head" }];
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

const LIBRARY = /[\\/]node_modules[\\/]/;
/** Shiki's grammars need each other, and are loaded by the language that is shown. */
const NOT_GRAMMARS = /^(?!.*shiki).*[\\/]node_modules[\\/]/;
const ICON = /[\\/]@tabler[\\/]/;
/** What the forms of the login are made of. */
const OF_LOGIN =
  /[\\/](?:features[\\/]auth|packages[\\/]identity|@mantine[\\/]core[\\/]esm[\\/]components[\\/](?:ActionIcon|Alert|Group|Input|InputBase|PasswordInput|Stack|TextInput|Title))[\\/]|[\\/](?:countdown|use-uncontrolled|useMutation|mutation)\./i;
const OWN = /[\\/](?:console[\\/]src|packages)[\\/](?!.*node_modules)/;

/**
 * Few files instead of the two hundred that Rolldown makes by itself: a browser asks for six at a time, so that a page of forty
 * small ones waits for seven rounds, and each costs the server and the browser more than its content. What a part of the pages
 * has in common is loaded with the first of them.
 */
const chunkGroups = [
  { name: "libraries", test: LIBRARY, tags: ["$initial" as const], priority: 5 },
  { name: "app", tags: ["$initial" as const], priority: 4 },
  { name: "forms", test: OF_LOGIN, minShareCount: 2, priority: 3 },
  { name: "components", test: ICON, minShareCount: 2, priority: 2 },
  { name: "components", test: NOT_GRAMMARS, minShareCount: 3, priority: 2 },
  { name: "common", test: OWN, minShareCount: 3, priority: 1 },
];

/** The same prefixes that the platform's proxy serves; each API answers on its own port. */
const APIS = {
  "/api/identity": "http://127.0.0.1:8070",
  "/api/code-index": "http://127.0.0.1:8080",
  "/api/observability": "http://127.0.0.1:8000",
} as const;

export default defineConfig({
  plugins: [react(), compressAssets(), preloadFont()],
  resolve: {
    // A linked install shows packages only what they declare, and Mantine's hooks don't declare react-dom.
    dedupe: ["react", "react-dom"],
  },
  build: {
    target: "es2022",
    // An inlined font or image would need `data:` in the content security policy.
    assetsInlineLimit: 0,
    // Older than the targets: a helper that would run before everything else.
    modulePreload: { polyfill: false },
    // A grammar of C++ is that big; `check:size` guards what counts.
    chunkSizeWarningLimit: 1000,
    rolldownOptions: { output: { codeSplitting: { groups: chunkGroups } } },
  },
  server: {
    port: 3000,
    strictPort: true,
    proxy: Object.fromEntries(
      Object.entries(APIS).map(([prefix, target]) => [prefix, { target, rewrite: (path: string) => path.slice(prefix.length) }]),
    ),
  },
});
