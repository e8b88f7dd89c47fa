import {
  completable,
  McpServer,
  ResourceTemplate,
  type CallToolResult,
  type ContentBlock,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import { addInputFixtures, stateCodec } from "./conformance-inputs.ts";

const IMAGE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const AUDIO = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=";

/**
 * What the conformance suite expects of a server it tests: tools, resources and prompts with the names it asks for. They
 * exist for the tests alone; the product has its own (`api/mcp-server.ts`), and both are served by the same endpoint.
 */
export function createConformanceServer(): McpServer {
  const server = new McpServer(
    { name: "conformance-fixtures", version: "1.0.0" },
    { capabilities: { logging: {}, completions: {} }, requestState: { verify: (state, call) => stateCodec.verify(state, call) } },
  );
  addContentTools(server);
  addTalkingTools(server);
  addResources(server);
  addPrompts(server);
  addInputFixtures(server);
  return server;
}

function addContentTools(server: McpServer): void {
  const text = (words: string): ContentBlock => ({ type: "text", text: words });
  const image: ContentBlock = { type: "image", data: IMAGE, mimeType: "image/png" };
  const resource = (uri: string, mimeType: string, words: string): ContentBlock => ({
    type: "resource",
    resource: { uri, mimeType, text: words },
  });
  const answers: Readonly<Record<string, readonly ContentBlock[]>> = {
    test_simple_text: [text("This is a simple text response for testing.")],
    test_image_content: [image],
    test_audio_content: [{ type: "audio", data: AUDIO, mimeType: "audio/wav" }],
    test_embedded_resource: [resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")],
    test_multiple_content_types: [
      text("Multiple content types test:"),
      image,
      resource("test://mixed-content-resource", "application/json", JSON.stringify({ test: "data", value: 123 })),
    ],
  };
  for (const [name, content] of Object.entries(answers)) {
    server.registerTool(name, { description: `Answers with ${content.map(({ type }) => type).join(", ")}.` }, () => ({
      content: [...content],
    }));
  }
  server.registerTool("test_error_handling", { description: "Always fails." }, (): CallToolResult => {
    throw new Error("This tool intentionally returns an error for testing");
  });
}

/** Tools that say something before they answer. */
function addTalkingTools(server: McpServer): void {
  const inputSchema = z.object({});
  const done: CallToolResult = { content: [{ type: "text", text: "done" }] };
  const log = (call: ServerContext, data: string) => call.mcpReq.log("info", data);
  server.registerTool("test_tool_with_logging", { description: "Logs three times.", inputSchema }, async (_given, call) => {
    for (const data of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
      await log(call, data);
    }
    return done;
  });
  server.registerTool("test_logging_tool", { description: "Logs once.", inputSchema }, async (_given, call) => {
    await log(call, "logged");
    return done;
  });
  server.registerTool("test_tool_with_progress", { description: "Tells of its progress.", inputSchema }, async (_given, call) => {
    const progressToken = call.mcpReq._meta?.progressToken;
    for (const progress of progressToken === undefined ? [] : [0, 50, 100]) {
      await call.mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, total: 100 } });
    }
    return done;
  });
}

function addResources(server: McpServer): void {
  const text = { description: "A text.", mimeType: "text/plain" };
  const image = { description: "An image.", mimeType: "image/png" };
  server.registerResource("text", "test://static-text", text, ({ href: uri }) => ({
    contents: [{ uri, mimeType: "text/plain", text: "This is the content of the static text resource." }],
  }));
  server.registerResource("image", "test://static-binary", image, ({ href: uri }) => ({
    contents: [{ uri, mimeType: "image/png", blob: IMAGE }],
  }));
  const template = new ResourceTemplate("test://template/{id}/data", { list: undefined });
  server.registerResource("template", template, { mimeType: "application/json" }, ({ href: uri }, { id }) => {
    const data = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${String(id)}` });
    return { contents: [{ uri, mimeType: "application/json", text: data }] };
  });
}

function addPrompts(server: McpServer): void {
  const text = (words: string) => ({ role: "user", content: { type: "text", text: words } }) as const;
  server.registerPrompt("test_simple_prompt", { description: "A text." }, () => ({
    messages: [text("This is a simple prompt for testing.")],
  }));
  const complete = (value: string) => ["paris", "park", "party"].filter((word) => word.startsWith(value));
  const twoArguments = z.object({ arg1: completable(z.string(), complete), arg2: z.string() });
  server.registerPrompt(
    "test_prompt_with_arguments",
    { description: "Says its arguments.", argsSchema: twoArguments },
    ({ arg1, arg2 }) => ({
      messages: [text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
    }),
  );
  const embedding = z.object({ resourceUri: z.string() });
  server.registerPrompt(
    "test_prompt_with_embedded_resource",
    { description: "A resource.", argsSchema: embedding },
    ({ resourceUri: uri }) => {
      const resource = { uri, mimeType: "text/plain", text: "Embedded resource content for testing." };
      return {
        messages: [{ role: "user", content: { type: "resource", resource } }, text("Please process the embedded resource above.")],
      };
    },
  );
  server.registerPrompt("test_prompt_with_image", { description: "An image." }, () => ({
    messages: [{ role: "user", content: { type: "image", data: IMAGE, mimeType: "image/png" } }, text("Please analyze the image above.")],
  }));
}
