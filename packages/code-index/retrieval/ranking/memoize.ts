/** Remembers what is described of each key, while one query is answered. */
export function memoize<Key, Value>(describe: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, Value>();
  return (key) => {
    const value = known.get(key) ?? describe(key);
    known.set(key, value);
    return value;
  };
}

/** A longer text is not remembered between queries. */
const MAX_KEY_LENGTH = 300;

/**
 * The same from one query to the next, for what hangs on the key alone: searches of the same code find the same places again and again.
 * It is asked thousands of times a search, so what was not asked is forgotten by halves, without an order that is kept.
 */
export function memoizeRecent<Value extends object | string>(max: number, describe: (key: string) => Value): (key: string) => Value {
  let recent = new Map<string, Value>();
  let before = recent;
  return (key) => {
    const known = recent.get(key);
    if (known !== undefined) {
      return known;
    }
    const value = before.get(key) ?? describe(key);
    if (key.length <= MAX_KEY_LENGTH) {
      if (recent.size >= max / 2) {
        before = recent;
        recent = new Map();
      }
      recent.set(key, value);
    }
    return value;
  };
}
