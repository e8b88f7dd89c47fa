import { runScript } from "#scripts.ts";
import type { Filled } from "./fill.ts";

type Node = { readonly "Node Type": string; readonly "Relation Name"?: string; readonly Plans?: readonly Node[] };

/** Tables of which no search may read every row. */
const LARGE = ["code_chunks", "postings", "trigrams", "documents", "symbols", "symbol_references"];

/** What the legs ask the database for, by how its statements begin, with the tables that would be read as a whole. */
export async function checkPlans({ url, schema, tenantId }: Filled) {
  const printed = await runScript("packages/code-index/testing/explain-search.ts", url, tenantId);
  const statements = JSON.parse(printed) as readonly { readonly statement: string; readonly plan: Node }[];
  return statements.map(({ statement, plan }) => {
    const scanned = scannedBy(plan).filter((table) => LARGE.includes(table) || /^vectors_\d+$/.test(table));
    return { schema, statement: statement.replaceAll(/\s+/g, " ").trim().slice(0, 90), "read as a whole": scanned.join(", ") || "none" };
  });
}

function scannedBy(node: Node): readonly string[] {
  const own = node["Node Type"] === "Seq Scan" && node["Relation Name"] !== undefined ? [node["Relation Name"]] : [];
  return [...own, ...(node.Plans ?? []).flatMap(scannedBy)];
}
