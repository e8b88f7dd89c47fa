import type { FileChange } from "#contract.ts";
import { countTokens, takeTokens } from "#tokens/count-tokens.ts";
import { fenceFor } from "./fit.ts";

type Rendering = {
  /** What stands above the changes. */
  readonly head: string;
  readonly changes: readonly FileChange[];
  readonly changes_total: number | null;
  readonly notes: readonly string[];
};

const NOTICE = "Cut to max_tokens: name a path, or ask with a larger max_tokens.";
const OVERHEAD_TOKENS = 80;

/** Changed files, each with its numbers, then their hunks as far as they fit. */
export function renderChanges({ head, changes, changes_total: total, notes }: Rendering, maxTokens: number): string {
  const files = total ?? changes.length;
  const summary = `${files} ${files === 1 ? "file" : "files"} changed\n${changes.map(renderSummary).join("")}`;
  const patches = changes.map(({ path, patch }) => (patch === "" ? "" : `${path}\n${patch}`)).join("");
  let left = maxTokens - OVERHEAD_TOKENS - countTokens(notes.join("\n"));
  const fit = (text: string, share: number) => {
    const taken = takeTokens(text, Math.floor(left * share));
    left -= countTokens(taken);
    return taken;
  };
  const [above, listed, diff] = [fit(head, 1 / 3), fit(summary, 1 / 2), fit(patches, 1)];
  const isCut = above.length + listed.length + diff.length < head.length + summary.length + patches.length;
  const fence = fenceFor(diff);
  const fenced = diff === "" ? [] : [`${fence}diff\n${diff.replace(/\n$/, "")}\n${fence}`];
  return [above.trimEnd(), listed.trimEnd(), ...fenced, ...notes, ...(isCut ? [NOTICE] : [])].join("\n");
}

function renderSummary({ path, old_path: old, status, added, deleted, left_out: leftOut }: FileChange): string {
  const name = old === null ? path : `${old} → ${path}`;
  return `  ${status} ${name} +${added} -${deleted}${leftOut === null ? "" : ` (${leftOut})`}\n`;
}
