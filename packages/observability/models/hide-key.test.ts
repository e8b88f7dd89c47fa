import { expect, test } from "vitest";
import { hideKey } from "./hide-key.ts";

const KEY = "sk-secret-1";

function answerIn(parts: readonly string[]): Response {
  const bytes = parts.map((part) => new TextEncoder().encode(part));
  return new Response(ReadableStream.from(bytes), { status: 401, headers: { "x-request-id": "1" } });
}

test.each([
  ["at once", [`wrong key ${KEY}!`], "wrong key [key]!"],
  ["in parts", ["wrong key sk-sec", "ret", "-1", "!"], "wrong key [key]!"],
  ["begun and not ended", ["it ends with sk-secret"], "it ends with sk-secret"],
  ["twice, one behind the other", [`${KEY}${KEY.slice(0, 3)}`, KEY.slice(3)], "[key][key]"],
])("a key is not in what is read of an answer: %s", async (_name, parts, read) => {
  const answer = hideKey(answerIn(parts), KEY);
  expect([answer.status, answer.headers.get("x-request-id")]).toEqual([401, "1"]);
  expect(await answer.text()).toBe(read);
});

test("an answer that streams is read as it comes", async () => {
  let end = (): void => undefined;
  const isEnded = new Promise<void>((resolve) => (end = resolve));
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(new TextEncoder().encode("one "));
      await isEnded;
      controller.close();
    },
  });
  const reader = hideKey(new Response(body), KEY).body?.getReader();
  expect(new TextDecoder().decode((await reader?.read())?.value)).toBe("one ");
  end();
  expect((await reader?.read())?.done).toBe(true);
});

test("a key of a few letters is no secret", async () => {
  expect(await hideKey(answerIn(["none of it"]), "none").text()).toBe("none of it");
});
