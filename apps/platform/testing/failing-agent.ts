import { execFile, execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";

const SDK = import.meta.resolve("@sightline/sdk");

/** The line that is to blame; what a test must be led to. */
export const BLAME = "  return stock[orderedItem.sku].warehouse;";

const TOOLS = `import { traceTool } from "${SDK}";

const stock = { "sku-1": { warehouse: "Bern" } };

export function findWarehouse(orderedItem) {
${BLAME}
}

export function lookUp(orderedItem) {
  return traceTool({ name: "find_warehouse", parameters: { orderedItem } }, () => findWarehouse(orderedItem));
}
`;

const AGENT = `import { closeRedisPublisher, initializeRedisPublisher, observe, trace } from "${SDK}";
import { lookUp } from "./tools/stock.js";

await initializeRedisPublisher();
async function run(sku) {
  await trace({ name: "shipping agent", input: { question: "From where does " + sku + " ship?" } }, async () => {
    await observe({ name: "plan", kind: "node" }, async () => "look it up");
    await observe({ name: "act", kind: "node" }, async () => lookUp({ sku }));
  }).catch(() => undefined);
}
for (const sku of process.argv.slice(2)) {
  await run(sku);
}
await closeRedisPublisher();
`;

export type FailingAgent = {
  readonly commit: string;
  /** For the code index to fetch from. */
  readonly url: string;
  /** Runs it for each item; one that is not in stock makes it fail. */
  readonly run: (environment: Readonly<Record<string, string>>, skus: readonly string[]) => Promise<void>;
  readonly remove: () => Promise<void>;
};

/** A small application in a git repository of its own, whose agent fails because of one of its lines. */
export async function makeFailingAgent(remote: string): Promise<FailingAgent> {
  const directory = await mkdtemp(join(tmpdir(), "sightline-agent-"));
  const git = (...given: readonly string[]) =>
    execFileSync("git", ["-C", directory, "-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false", ...given], {
      encoding: "utf8",
    }).trim();
  git("init", "--quiet", "--initial-branch=main");
  git("remote", "add", "origin", remote);
  await mkdir(join(directory, "src/tools"), { recursive: true });
  await writeFile(join(directory, "package.json"), '{ "type": "module" }\n');
  await writeFile(join(directory, "src/agent.js"), AGENT);
  await writeFile(join(directory, "src/tools/stock.js"), TOOLS);
  git("add", "--all");
  git("commit", "--quiet", "--message", "Ship from the nearest warehouse");
  return {
    commit: git("rev-parse", "HEAD"),
    url: pathToFileURL(directory).toString(),
    run: async (environment, skus) => {
      await promisify(execFile)(process.execPath, [join(directory, "src/agent.js"), ...skus], { env: { ...process.env, ...environment } });
    },
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}
