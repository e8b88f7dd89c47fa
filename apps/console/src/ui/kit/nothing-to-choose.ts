type QueryResult = { readonly data: readonly unknown[] | undefined; readonly error: Error | null };

/** What a field with choices says when it offers none: that they aren't known is not that there are none. */
export function nothingToChoose({ data, error }: QueryResult, none: string): string {
  if (data !== undefined) {
    return none;
  }
  return error === null ? "Loading…" : `Could not be loaded: ${error.message}`;
}
