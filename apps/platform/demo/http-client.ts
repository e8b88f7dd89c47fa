import { parseJson } from "@sightline/foundation/parse-json";
import { z } from "zod";

export type HttpClient = ReturnType<typeof createHttpClient>;

const errorSchema = z.object({ error: z.string(), message: z.string() });

const ANSWER_MS = 20_000;

/** A client of the product's own HTTP API, as any application could have it. */
export function createHttpClient(baseUrl: string, token: string) {
  async function send(method: string, path: string, body?: unknown): Promise<unknown> {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body === undefined ? {} : { "content-type": "application/json" }) },
      signal: AbortSignal.timeout(ANSWER_MS),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) {
      const parsed = errorSchema.safeParse(parseJson(text)).data;
      const { error, message } = parsed ?? { error: "unknown", message: text.slice(0, 200) };
      throw new Error(`${message} (${method} ${path.split("?")[0]}: ${response.status} ${error})`);
    }
    return parseJson(text);
  }

  return {
    get: async <Answer>(path: string, schema: z.ZodType<Answer>): Promise<Answer> => schema.parse(await send("GET", path)),
    post: async <Answer>(path: string, body: unknown, schema: z.ZodType<Answer>): Promise<Answer> =>
      schema.parse(await send("POST", path, body)),
    delete: async (path: string): Promise<void> => void (await send("DELETE", path)),
  };
}
