import { holdsCodeName, isProse, type Shape } from "./query-shape.ts";
import type { Token } from "./query-tokens.ts";

/** What the text of a result has to hold, or must not. */
export type Condition = {
  readonly kind: "phrase" | "regex" | "word";
  readonly source: string;
  readonly negated: boolean;
};

type Reading = { readonly shape: Shape; readonly isCaseSensitive: boolean };

type Read = { readonly alternatives: readonly (readonly Condition[])[]; readonly notes: readonly string[] };

/**
 * The conditions of each alternative: quoted texts, regular expressions and what is excluded; every name and word of code, too,
 * where the case is asked for. Quotes in a message of something gone wrong are the message's own.
 */
export function conditionsOf(alternatives: readonly (readonly Token[])[], { shape, isCaseSensitive }: Reading): Read {
  const isMessage = shape === "error" && alternatives.some((tokens) => tokens.some(({ kind }) => kind === "word"));
  const isName = (value: string) => !isProse(shape) || holdsCodeName(value);
  const read = alternatives.map((tokens) =>
    tokens.flatMap((token): readonly Condition[] => {
      if (token.kind === "word" && (token.negated || (isCaseSensitive && isName(token.value)))) {
        return [{ kind: "word", source: token.value, negated: token.negated }];
      }
      if (token.kind === "regex" || (token.kind === "phrase" && (token.negated || !isMessage))) {
        return [{ kind: token.kind, source: token.value, negated: token.negated }];
      }
      return [];
    }),
  );
  const isSoft = isMessage && alternatives.some((tokens) => tokens.some((token) => token.kind === "phrase" && !token.negated));
  return {
    alternatives: read,
    notes: isSoft ? ["This reads like an error message: what is quoted in it is looked for, but a result need not hold it."] : [],
  };
}
