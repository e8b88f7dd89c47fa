import type { Api } from "#http/api.ts";
import { type AuditFilter, queryOf } from "#features/audit/audit-filter.ts";

/**
 * Fetches everything that the filter lets through, one JSON object a line. A plain link would not do: it can't carry the
 * session's token.
 */
export async function exportAudit(
  api: Api,
  filter: AuditFilter,
  { signal, onBytes }: { readonly signal: AbortSignal; readonly onBytes: (soFar: number) => void },
): Promise<Blob> {
  const response = await api.download({
    part: "identity",
    path: "/admin/audit/export",
    query: queryOf(filter),
    accept: "application/jsonl",
    signal,
  });
  if (response.body === null) {
    return response.blob();
  }
  let bytes = 0;
  const counted = response.body.pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        bytes += chunk.byteLength;
        onBytes(bytes);
        controller.enqueue(chunk);
      },
    }),
  );
  return new Response(counted).blob();
}
