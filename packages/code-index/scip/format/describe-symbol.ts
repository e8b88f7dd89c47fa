import type { ScipSymbol } from "./read-scip.ts";

const MAX_SIGNATURE_LENGTH = 1_000;
const MAX_COMMENT_LENGTH = 600;

export type Description = { readonly signature: string; readonly comment: string };

/** A block of code, or what language servers say instead: `(module) shop.stock`. */
const SIGNATURE = /^```\w*\n([^]*?)\n?```\s*|^(\([a-z]+\) [^\n]+)\s*/u;

/** What tools say of a symbol: a signature of its own or as a block of code, and then its comment. */
export function describeSymbol({ signature, documentation }: Pick<ScipSymbol, "signature" | "documentation">): Description {
  const markdown = documentation.join("\n\n");
  const [block = "", code = "", plain = ""] = SIGNATURE.exec(markdown) ?? [];
  return {
    signature: shortened(signature || code || plain, MAX_SIGNATURE_LENGTH),
    comment: shortened(markdown.slice(block.length), MAX_COMMENT_LENGTH),
  };
}

function shortened(text: string, length: number): string {
  // PostgreSQL keeps no NUL.
  const whole = text.replaceAll("\0", "").trim();
  return (whole.length > length ? `${whole.slice(0, length)}…` : whole).toWellFormed();
}
