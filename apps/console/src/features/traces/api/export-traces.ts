import type { Api } from "#http/api.ts";

/** Fetches every trace that the query finds, one JSON object a line. A plain link would not do: it can't carry the session's token. */
export async function exportTraces(
  api: Api,
  projectId: string,
  { q, signal, onBytes }: { readonly q: string; readonly signal: AbortSignal; readonly onBytes: (soFar: number) => void },
): Promise<Blob> {
  const response = await api.download({
    part: "observability",
    path: `/api/v1/projects/${encodeURIComponent(projectId)}/export`,
    query: { q },
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
