import { runScript } from "#scripts.ts";
import type { Filled } from "./fill.ts";

type Node = { readonly "Node Type": string; readonly "Relation Name"?: string; readonly Plans?: readonly Node[] };

/** Tables of which no search may read every row. */
const LARGE = ["code_chunks", "postings", "trigrams", "documents", "symbols", "symbol_references", "commits", "changes"];

export type Explained = { readonly statement: string; readonly plan: Node };

/** What the legs ask the database for, by how its statements begin, with the tables that would be read as a whole. */
export async function checkPlans({ url, tenantId }: Filled) {
  return wholeReads(JSON.parse(await runScript("packages/code-index/testing/explain-search.ts", url, tenantId)) as readonly Explained[]);
}

export function wholeReads(statements: readonly Explained[]) {
  return statements.map(({ statement, plan }) => {
    const scanned = scannedBy(plan).filter((table) => LARGE.includes(table) || /^vectors_\d+$/.test(table));
    return { statement: statement.replaceAll(/\s+/g, " ").trim().slice(0, 90), "read as a whole": scanned.join(", ") || "none" };
  });
}

function scannedBy(node: Node): readonly string[] {
  const own = node["Node Type"] === "Seq Scan" && node["Relation Name"] !== undefined ? [node["Relation Name"]] : [];
  return [...own, ...(node.Plans ?? []).flatMap(scannedBy)];
}
