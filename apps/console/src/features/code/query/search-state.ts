/** What is searched and how, as the address of the page has it. */
export type SearchState = {
  readonly q: string | undefined;
  /** `grep` finds every line; anything else ranks. */
  readonly mode: string | undefined;
  readonly repo: string | undefined;
  readonly path: string | undefined;
  readonly lang: string | undefined;
  readonly ref: string | undefined;
  /** What files are for; not for grep. */
  readonly kind: string | undefined;
  /** For grep: `true` or not. */
  readonly regex: string | undefined;
  readonly case: string | undefined;
  /** `true`: each result says what its place is made of. */
  readonly explain: string | undefined;
};

export type FilterName = "repo" | "path" | "lang" | "ref" | "kind";

export function isGrep({ mode }: Pick<SearchState, "mode">): boolean {
  return mode === "grep";
}

export function isOn(flag: string | undefined): boolean {
  return flag === "true";
}

export function hasFilter(state: SearchState): boolean {
  return (state.repo ?? state.path ?? state.lang ?? state.ref ?? state.kind) !== undefined;
}

export const NO_FILTERS = { repo: undefined, path: undefined, lang: undefined, ref: undefined, kind: undefined } as const;
