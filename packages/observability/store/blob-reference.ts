const HASH = /^[0-9a-f]{64}$/;
const CONTENT_LENGTH = 32;

export function isHash(text: string): boolean {
  return HASH.test(text);
}

/** The first half of a hash, by which tables name the content. */
export function shortenHash(hash: string): string {
  return hash.slice(0, CONTENT_LENGTH);
}

/** The hash in `{"$blob": "<sha256>"}`, by which values refer to contents. An application's own key `$blob` travels as `$$blob`. */
export function hashReferredTo(value: object): string | undefined {
  if (!("$blob" in value) || Object.keys(value).length > 1) {
    return undefined;
  }
  const { $blob: hash } = value;
  return typeof hash === "string" && isHash(hash) ? hash : undefined;
}

/** The hashes of all contents that a value refers to, at any depth; no deeper than the intake lets values be. */
export function findReferences(value: unknown, found = new Set<string>()): ReadonlySet<string> {
  if (typeof value === "object" && value !== null) {
    const hash = hashReferredTo(value);
    if (hash === undefined) {
      Object.values(value).forEach((item) => findReferences(item, found));
    } else {
      found.add(hash);
    }
  }
  return found;
}
