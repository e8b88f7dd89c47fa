import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { waitForHistory } from "#acceptance/history.ts";
import { indexNow } from "#index-now.ts";
import { startProduct } from "#product.ts";
import { repository } from "#scripts.ts";

/**
 * `npm run prove:reading -- gin click jq`: has clones of gin-gonic/gin, pallets/click and jqlang/jq indexed by the product as it is started
 * for real, and asks it by `npm run eval:assistant` what git knows of them. Fails as that does.
 */
const OWNERS: Readonly<Record<string, string>> = { gin: "gin-gonic", click: "pallets", jq: "jqlang" };

const folders = process.argv.slice(2).map((path) => resolve(path));
const product = await startProduct(process.env["TEST_DATABASE_URL"], 0);
try {
  for (const folder of folders) {
    const name = Object.keys(OWNERS).find((known) => new RegExp(`\\b${known}(?:\\.git|/repo)?$`).test(folder)) ?? "";
    const given = { full_name: `${OWNERS[name] ?? ""}/${name}`, clone_url: pathToFileURL(folder).toString() };
    const { id } = await product.call<{ id: string }>("/repos", given);
    await indexNow(product.call, id, "full");
    await waitForHistory(product.call, id, execFileSync("git", ["-C", folder, "rev-parse", "HEAD"], { encoding: "utf8" }).trim());
  }
  const { token } = await product.call<{ token: string }>("/developer-tokens", { label: "reading" });
  const asked = spawn(process.execPath, ["packages/code-index/evaluation/ask-as-assistant.ts", ...folders], {
    cwd: repository,
    env: { ...process.env, SIGHTLINE_MCP: `${product.url}/mcp`, SIGHTLINE_TOKEN: token },
    stdio: "inherit",
  });
  [process.exitCode] = (await once(asked, "exit")) as [number];
} finally {
  await product.stop();
}
