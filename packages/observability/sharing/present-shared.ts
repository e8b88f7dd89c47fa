import { truncatedValueSchema, type SharedStep, type SharedTrace, type Trace } from "#contract.ts";
import type { Masking } from "#events/masker.ts";
import type { ShareLinkRow } from "./share-links.store.ts";

/** What a link shows of a trace, masked once more: rules may have come since it was stored. The answer's schema keeps all else back. */
export function presentShared(trace: Trace, { shows, expires_at: expiresAt }: Pick<ShareLinkRow, "shows" | "expires_at">): SharedTrace {
  const depths = new Map<string, number>();
  const steps = trace.observation_list.map((step) => {
    const depth = step.parent_id === null ? 0 : (depths.get(step.parent_id) ?? -1) + 1;
    depths.set(step.id, depth);
    const isState = step.kind === "graph" || step.kind === "node";
    return { ...withValues(step, shows, isState), depth, code: shows.includes("code") ? step.code : null };
  });
  return { ...withValues(trace, shows, false), expires_at: expiresAt.toISOString(), shows, steps };
}

type Valued = Pick<SharedStep, "input" | "output" | "error"> & { readonly reasoning?: string | null };

function withValues<Part extends Valued>(part: Part, shows: ShareLinkRow["shows"], isState: boolean): Part {
  const [hasContent, hasValues] = [shows.includes("content"), shows.includes(isState ? "state" : "content")];
  return {
    ...part,
    ...(hasValues ? { input: withoutIds(part.input), output: withoutIds(part.output) } : { input: null, output: null }),
    ...(hasContent ? {} : { error: null, reasoning: null }),
  };
}

/** A value in which the beginnings of what is too long stand for it: where all of it is, is nobody's to know. */
function withoutIds(value: unknown): unknown {
  const long = truncatedValueSchema.safeParse(value).data;
  if (long !== undefined) {
    return `${long.preview}… (${long.characters} characters)`;
  }
  return Array.isArray(value)
    ? value.map(withoutIds)
    : typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype
      ? Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withoutIds(item)]))
      : value;
}

export function maskShared<Part extends Valued & { readonly name: string }>(part: Part, { value, text }: Masking): Part {
  const words = (given: string | null | undefined) => (given ? text(given) : given);
  const { name, input, output, error, reasoning } = part;
  return { ...part, name: text(name), input: value(input), output: value(output), error: words(error), reasoning: words(reasoning) };
}
