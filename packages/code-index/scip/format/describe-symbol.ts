import type { ScipSymbol } from "./read-scip.ts";

const MAX_SIGNATURE_LENGTH = 1_000;
const MAX_COMMENT_LENGTH = 600;

export type Description = { readonly signature: string; readonly comment: string };

const FENCED = /^```\w*\n([^]*?)\n?```\s*/u;

/** What tools say of a symbol: a signature of its own or as a block of code, and then its comment. */
export function describeSymbol({ signature, documentation }: ScipSymbol): Description {
  const said = documentation.join("\n\n");
  const [block = "", code = ""] = FENCED.exec(said) ?? [];
  return {
    signature: shortened(signature || code, MAX_SIGNATURE_LENGTH),
    comment: shortened(said.slice(block.length), MAX_COMMENT_LENGTH),
  };
}

function shortened(text: string, length: number): string {
  // PostgreSQL keeps no NUL.
  const whole = text.replaceAll("\0", "").trim();
  return (whole.length > length ? `${whole.slice(0, length)}…` : whole).toWellFormed();
}
