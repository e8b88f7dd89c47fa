import { runScript } from "#scripts.ts";

type Node = { readonly "Node Type": string; readonly "Relation Name"?: string; readonly Plans?: readonly Node[] };

/** Of which no list may read every row. */
const LARGE = /^(?:trace_entries|trace_groups|traces|scores|observations(?:_\d+)?|payloads(?:_\d+)?)$/;

export async function checkPlans(url: string, projectId: string, cases: readonly { readonly q: string; readonly sort: string }[]) {
  const printed = await runScript("packages/observability/testing/explain-list.ts", url, projectId, JSON.stringify(cases));
  const statements = JSON.parse(printed) as readonly { readonly statement: string; readonly plan: Node }[];
  return statements.map(({ statement, plan }) => ({
    statement: statement.replaceAll(/\s+/g, " ").trim().slice(0, 100),
    "read as a whole":
      scannedBy(plan)
        .filter((table) => LARGE.test(table))
        .join(", ") || "none",
  }));
}

function scannedBy(node: Node): readonly string[] {
  const own = node["Node Type"].endsWith("Seq Scan") && node["Relation Name"] !== undefined ? [node["Relation Name"]] : [];
  return [...own, ...(node.Plans ?? []).flatMap(scannedBy)];
}
