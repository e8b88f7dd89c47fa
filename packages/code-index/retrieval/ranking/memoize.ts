import { LRUCache } from "lru-cache";

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

/** The same from one query to the next, for what hangs on the key alone: searches of the same code find the same places again and again. */
export function memoizeRecent<Value extends object | string>(max: number, describe: (key: string) => Value): (key: string) => Value {
  const recent = new LRUCache<string, Value>({ max });
  return (key) => {
    const known = recent.get(key);
    if (known !== undefined) {
      return known;
    }
    const value = describe(key);
    if (key.length <= MAX_KEY_LENGTH) {
      recent.set(key, value);
    }
    return value;
  };
}
