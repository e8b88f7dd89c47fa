import { createInterface } from "node:readline/promises";
import { agents, detectGlobalAgents, getAgentTypes, removeServer, upsertServer } from "add-mcp";
import { UsageError } from "#settings/failure.ts";
import { readCodeIndexUrl } from "./code/code-index-url.ts";

export type ConnectOptions = { readonly url?: string; readonly yes?: boolean; readonly remove?: boolean };

const NAME = "sightline";

/** `sightline connect`: add-mcp knows the assistants and writes their files. Exits with 1 when one could not be written. */
export async function connect(named: readonly string[], options: ConnectOptions): Promise<void> {
  const known = getAgentTypes();
  const unknown = named.find((name) => !known.some((type) => type === name));
  if (unknown !== undefined) {
    throw new UsageError(`There is no assistant ${JSON.stringify(unknown)}. The assistants are: ${known.join(", ")}.`);
  }
  const url = options.remove === true ? undefined : await readMcpUrl(options.url);
  const chosen = named.length > 0 ? known.filter((type) => named.includes(type)) : await detectGlobalAgents();
  if (chosen.length === 0) {
    throw new UsageError("No assistant was found on this machine. Name one, such as: sightline connect claude-code");
  }
  const list = chosen.map((type) => `  ${agents[type].displayName.padEnd(24)} ${agents[type].configPath}`).join("\n");
  console.log(`${url === undefined ? `Removes ${NAME} from` : `Adds ${url} to`}\n${list}`);
  if (options.yes !== true && !(await confirm())) {
    console.log("Nothing was changed.");
    return;
  }
  for (const type of chosen) {
    const result = url === undefined ? removeServer(type, NAME) : upsertServer(type, NAME, { type: "http", url });
    if (result.success) {
      console.log(`${url === undefined ? "Removed from" : "Connected"} ${agents[type].displayName}`);
    } else {
      console.error(`${agents[type].displayName}: ${result.path} could not be changed. ${result.error ?? ""}`);
      process.exitCode = 1;
    }
  }
  console.log(
    url === undefined ? "Restart those that run." : "Restart those that run; at the first use each opens the browser to sign in.",
  );
}

async function readMcpUrl(given: string | undefined): Promise<string> {
  const url = await readCodeIndexUrl(given);
  return given === undefined || url.pathname === "/" ? new URL("/mcp", url).href : url.href;
}

async function confirm(): Promise<boolean> {
  if (!process.stdin.isTTY) {
    throw new UsageError("Nobody can be asked here. Add --yes to write without asking.");
  }
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await lines.question("Change these files? [y/N] ").finally(() => lines.close());
  return /^y(es)?$/i.test(answer.trim());
}
