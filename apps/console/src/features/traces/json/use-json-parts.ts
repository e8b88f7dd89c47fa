import { useState } from "react";
import type { LoadWhole } from "#features/traces/api/payloads.ts";
import { type JsonRow, isTruncated, withValueAt } from "./json-rows.ts";
import { useLoading } from "./use-loading.ts";

/** A value whose truncated parts are replaced by the whole ones as they are loaded; another value begins without them. */
export function useJsonParts(given: unknown, onLoad: LoadWhole | undefined) {
  const [loaded, setLoaded] = useState<{ readonly of: unknown; readonly value: unknown }>({ of: given, value: given });
  const loading = useLoading();

  async function load(row: JsonRow): Promise<void> {
    if (onLoad !== undefined && isTruncated(row.value)) {
      const part = row.value;
      const whole = await loading.run(row.id, (signal, onProgress) => onLoad(part, signal, onProgress));
      if (whole !== undefined) {
        setLoaded((before) => ({ of: given, value: withValueAt(before.of === given ? before.value : given, row.path, whole) }));
      }
    }
  }

  return { value: loaded.of === given ? loaded.value : given, loading, load };
}
