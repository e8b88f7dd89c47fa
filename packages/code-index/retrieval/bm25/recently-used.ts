/** Values by key, up to so many bytes in all; what was not asked for longest is forgotten first. */
export type RecentlyUsed<Value> = {
  readonly get: (key: string) => Value | undefined;
  /** A value that has grown is set again. */
  readonly set: (key: string, value: Value, bytes: number) => void;
  readonly bytes: () => number;
};

export function createRecentlyUsed<Value>(mostBytes: number): RecentlyUsed<Value> {
  const entries = new Map<string, { readonly value: Value; readonly bytes: number }>();
  let total = 0;

  function forget(key: string): void {
    total -= entries.get(key)?.bytes ?? 0;
    entries.delete(key);
  }

  return {
    get: (key) => {
      const entry = entries.get(key);
      if (entry !== undefined) {
        // The order of a Map is that of insertion.
        entries.delete(key);
        entries.set(key, entry);
      }
      return entry?.value;
    },
    set: (key, value, bytes) => {
      forget(key);
      entries.set(key, { value, bytes });
      total += bytes;
      for (const oldest of entries.keys()) {
        if (total <= mostBytes) {
          break;
        }
        forget(oldest);
      }
    },
    bytes: () => total,
  };
}
