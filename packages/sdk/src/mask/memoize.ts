/**
 * Remembers what a pure function answered, for keys up to a length, and forgets all when there are too many. Shared by the whole process,
 * because the same few keys come again with every event.
 */
export function memoize<Value>(
  compute: (key: string) => Value,
  limits: { readonly entries: number; readonly keyLength: number },
): (key: string) => Value {
  const remembered = new Map<string, { readonly value: Value }>();
  return (key) => {
    const known = remembered.get(key);
    if (known !== undefined) {
      return known.value;
    }
    const value = compute(key);
    if (key.length <= limits.keyLength) {
      if (remembered.size >= limits.entries) {
        remembered.clear();
      }
      remembered.set(key, { value });
    }
    return value;
  };
}
