import { payloadRangeSchema, type TruncatedValue } from "@sightline/observability/contract";
import type { Api } from "#http/api.ts";

const RANGE = 1_048_576;
/** More would be more than a page should hold. */
export const MAX_WHOLE = 20 * RANGE;

/**
 * A value that is too long for the other answers, range by range.
 *
 * @param onProgress how much of it is here, from 0 to 1.
 */
export async function fetchWholeValue(
  api: Api,
  { projectId, traceId, value }: { readonly projectId: string; readonly traceId: string; readonly value: TruncatedValue },
  signal: AbortSignal,
  onProgress: (share: number) => void,
): Promise<unknown> {
  const path = `/api/v1/projects/${encodeURIComponent(projectId)}/traces/${encodeURIComponent(traceId)}/payloads/${encodeURIComponent(value.payload_id)}`;
  const texts: string[] = [];
  for (let from: number | null = 0; from !== null;) {
    const query: { part: string; from: number; length: number } = { part: value.part, from, length: RANGE };
    const range = await api.request({ part: "observability", path, query, answer: payloadRangeSchema, signal });
    texts.push(range.text);
    from = range.next_from;
    onProgress(from === null ? 1 : from / range.characters);
  }
  const text = texts.join("");
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
