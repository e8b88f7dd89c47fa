/** Remembers what is described of each key, while one query is answered. */
export function remember<Key, Value>(describe: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, Value>();
  return (key) => {
    const value = known.get(key) ?? describe(key);
    known.set(key, value);
    return value;
  };
}

/** A longer text is not remembered between queries. */
const LONGEST = 300;

/**
 * The same from one query to the next, for what hangs on the key alone: between `most` and twice as many keys. All of the older half are
 * forgotten at once, since searches of the same code find the same places again and again.
 */
export function rememberLately<Value>(most: number, describe: (key: string) => Value): (key: string) => Value {
  let young = new Map<string, Value>();
  let old = young;
  return (key) => {
    const known = young.get(key);
    if (known !== undefined) {
      return known;
    }
    const value = old.get(key) ?? describe(key);
    if (key.length <= LONGEST) {
      if (young.size >= most) {
        old = young;
        young = new Map();
      }
      young.set(key, value);
    }
    return value;
  };
}
