import { describe, expect, test } from "vitest";
import { readConversation } from "./conversation.ts";

const asked = { side: "input", isModelCall: false } as const;

describe("what is a conversation", () => {
  test.each<[string, unknown, readonly string[]]>([
    ["a state of LangGraph for Python", { messages: [{ type: "human", content: "Where?" }] }, ["Where?"]],
    ["messages as pairs", { messages: [["human", "Where?"]] }, ["Where?"]],
    ["LangChain's serialised form", [{ lc: 1, type: "constructor", id: ["x", "HumanMessage"], kwargs: { content: "Where?" } }], ["Where?"]],
    ["roles", [{ role: "user", content: "Where?" }], ["Where?"]],
    ["an update of a graph under its node", { think: { messages: [{ type: "ai", content: "There." }] } }, ["There."]],
    ["a history under the application's own name", { chat_history: [{ role: "user", content: "Where?" }], n: 1 }, ["Where?"]],
  ])("%s", (_name, value, texts) => {
    const { messages = [] } = readConversation(value, asked) ?? {};
    expect(messages.flatMap(({ parts }) => parts.map((part) => part.value))).toEqual(texts);
  });

  test("what stands beside messages is kept", () => {
    const value = { messages: [{ role: "user", content: "Where?" }], plan: ["look"], tries: 2 };
    expect(readConversation(value, asked)?.rest).toEqual({ plan: ["look"], tries: 2 });
  });

  test("the answer of a crew is what it gave back, and all that was said for it stands beside it", () => {
    const tasks = [{ raw: "Sunny.", messages: [{ role: "user", content: "Task" }] }];
    expect(readConversation({ raw: "Sunny.", pydantic: null, json_dict: null, tasks_output: tasks }, { ...asked, side: "output" })).toEqual(
      {
        messages: [{ role: "assistant", parts: [{ type: "text", value: "Sunny." }], isNamed: true }],
        rest: { pydantic: null, json_dict: null, tasks_output: tasks },
      },
    );
  });

  test.each<[string, unknown]>([
    ["a text", "Where?"],
    ["a number", 4],
    ["arguments that only bear the names of messages", { input: { role: 3 }, content: "a file's", text: "words" }],
    ["a list of pairs of texts", [["a", "b"]]],
    ["documents", [{ page_content: "x", metadata: { source: "a" } }]],
    ["a user with a role", { role: "admin", name: "Ada" }],
    ["nothing", null],
  ])("but not %s", (_name, value) => {
    expect(readConversation(value, asked)).toBeUndefined();
  });

  test("what a model is given is said, whoever says it", () => {
    const call = { side: "input", isModelCall: true } as const;
    expect(readConversation("Where?", call)?.messages).toMatchObject([{ role: "user", parts: [{ type: "text", value: "Where?" }] }]);
    expect(readConversation({ prompt: "Where?", temperature: 0 }, call)).toMatchObject({
      messages: [{ role: "user" }],
      rest: { temperature: 0 },
    });
    expect(readConversation({ embedding: [1, 2] }, call)).toBeUndefined();
  });
});

describe("an image in a message", () => {
  const partOf = (part: unknown) => readConversation([{ role: "user", content: [part] }], asked)?.messages[0]?.parts[0];

  test("is kept where it came in the message and browsers show it", () => {
    expect(partOf({ type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } })).toMatchObject({
      image: "data:image/png;base64,AAAA",
    });
    expect(partOf({ type: "image", source: { type: "base64", media_type: "image/jpeg", data: "AAAA" } })).toMatchObject({
      image: "data:image/jpeg;base64,AAAA",
    });
  });

  test.each([
    ["an address elsewhere", "https://example.com/p.png"],
    ["a drawing, which may hold programs", "data:image/svg+xml;base64,AAAA"],
    ["what is no image", "data:text/html;base64,AAAA"],
    ["what leaves the attribute", 'data:image/png;base64,AA"onerror="x'],
  ])("is not for %s", (_name, url) => {
    expect(partOf({ type: "image_url", image_url: { url } })?.image).toBeUndefined();
  });
});
