import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { chunkGroups } from "./chunk-groups.ts";
import { compressAssets } from "./compress-assets.ts";

/** The same prefixes that the platform's proxy serves; each API answers on its own port. */
const APIS = {
  "/api/identity": "http://127.0.0.1:8070",
  "/api/code-index": "http://127.0.0.1:8080",
  "/api/observability": "http://127.0.0.1:8000",
} as const;

export default defineConfig({
  plugins: [react(), compressAssets()],
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
