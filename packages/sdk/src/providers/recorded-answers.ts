import type { RecordedAnswer } from "../client/replays.ts";

/** What the client makes of the recorded answer, which it reads as it reads every answer, without a network. */
export function sendRecorded(
  original: (...inputs: unknown[]) => unknown,
  resource: object,
  inputs: unknown[],
  answer: RecordedAnswer,
): unknown {
  const { http } = answer;
  if (http === null) {
    return answer.value();
  }
  const client: unknown = Reflect.get(resource, "_client");
  const withOptions: unknown =
    typeof client === "object" && client !== null ? Reflect.get(Object.getPrototypeOf(client) as object, "withOptions") : undefined;
  if (typeof withOptions !== "function") {
    throw new Error("A replay can't answer this version of the client, which has no withOptions().");
  }
  const headers = { "content-type": http.is_stream && http.status === 200 ? "text/event-stream" : "application/json" };
  const fetchRecorded = async () => new Response(http.body, { headers, status: http.status });
  const offline: unknown = Reflect.apply(withOptions, client, [{ fetch: fetchRecorded, maxRetries: 0 }]);
  return Reflect.apply(original, Object.create(resource, { _client: { value: offline } }) as object, inputs);
}
