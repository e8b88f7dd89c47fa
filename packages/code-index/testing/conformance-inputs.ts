import {
  createRequestStateCodec,
  inputRequired,
  inputResponse,
  type CallToolResult,
  type InputRequest,
  type McpServer,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { z } from "zod";

/** The key is worth nothing: these tools exist in tests alone. */
export const stateCodec = createRequestStateCodec<{ readonly round: number }>({ key: "k".repeat(32) });

function elicit(message: string, field: z.ZodObject): InputRequest {
  return inputRequired.elicit({ message, requestedSchema: field });
}

function sample(text: string): InputRequest {
  return inputRequired.createMessage({ messages: [{ role: "user", content: { type: "text", text } }], maxTokens: 100 });
}

const name = z.object({ name: z.string() });
const ok = z.object({ ok: z.boolean() });

/** What each tool asks its client for, round by round, before it is done. */
const ROUNDS: Readonly<Record<string, readonly Readonly<Record<string, InputRequest>>[]>> = {
  test_input_required_result_elicitation: [{ user_name: elicit("What is your name?", name) }],
  test_input_required_result_sampling: [{ capital_question: sample("What is the capital of France?") }],
  test_input_required_result_list_roots: [{ client_roots: inputRequired.listRoots() }],
  test_input_required_result_request_state: [{ confirm: elicit("Please confirm", ok) }],
  test_input_required_result_tampered_state: [{ confirm: elicit("Please confirm", ok) }],
  test_input_required_result_multiple_inputs: [
    { user_name: elicit("What is your name?", name), greeting: sample("Generate a greeting"), client_roots: inputRequired.listRoots() },
  ],
  test_input_required_result_multi_round: [
    { step1: elicit("Step 1: What is your name?", name) },
    { step2: elicit("Step 2: What is your favorite color?", z.object({ color: z.string() })) },
  ],
};

/** Those whose answers must come back with the state of their round. */
const STATEFUL = new Set([
  "test_input_required_result_request_state",
  "test_input_required_result_tampered_state",
  "test_input_required_result_multiple_inputs",
  "test_input_required_result_multi_round",
]);

const capabilitiesSchema = z.object({
  "io.modelcontextprotocol/clientCapabilities": z.object({ sampling: z.unknown().optional(), elicitation: z.unknown().optional() }),
});

/** Tools and a prompt that need something of the client first: in the stateless era they ask by their result. */
export function addInputFixtures(server: McpServer): void {
  const inputSchema = z.object({});
  for (const [tool, rounds] of Object.entries(ROUNDS)) {
    server.registerTool(tool, { description: "Asks its client first.", inputSchema }, async (_given, call) => askNext(call, tool, rounds));
  }
  server.registerTool("test_input_required_result_capabilities", { description: "Asks what it may.", inputSchema }, (_given, call) => {
    const may = capabilitiesSchema.parse(call.mcpReq.envelope)["io.modelcontextprotocol/clientCapabilities"];
    return inputRequired({
      inputRequests: {
        ...(may.sampling === undefined ? {} : { question: sample("What is the capital of France?") }),
        ...(may.elicitation === undefined ? {} : { user_name: elicit("What is your name?", name) }),
      },
    });
  });
  server.registerTool("test_missing_capability", { description: "Needs sampling.", inputSchema }, () =>
    inputRequired({ inputRequests: { question: sample("Anything") } }),
  );
  server.registerTool("test_streaming_elicitation", { description: "Asks its client first.", inputSchema }, () =>
    inputRequired({ inputRequests: { user_name: elicit("What is your name?", name) } }),
  );
  server.registerPrompt("test_input_required_result_prompt", { description: "Asks its client first." }, (call) => {
    const answer = inputResponse(call.mcpReq.inputResponses, "user_context");
    return answer.kind === "elicit"
      ? { messages: [{ role: "user", content: { type: "text", text: JSON.stringify(answer.content) } }] }
      : inputRequired({
          inputRequests: { user_context: elicit("What context should the prompt use?", z.object({ context: z.string() })) },
        });
  });
}

async function askNext({ mcpReq }: ServerContext, tool: string, rounds: readonly Readonly<Record<string, InputRequest>>[]) {
  const round = mcpReq.requestState<{ readonly round: number }>()?.round ?? 0;
  const asked = rounds[round] ?? {};
  const isAnswered = Object.keys(asked).every((key) => isAnswer(inputResponse(mcpReq.inputResponses, key)));
  const next = isAnswered ? round + 1 : round;
  const inputRequests = rounds[next];
  if (inputRequests === undefined) {
    const done: CallToolResult = { content: [{ type: "text", text: `Answered: ${JSON.stringify(mcpReq.inputResponses)}` }] };
    return done;
  }
  return inputRequired({
    inputRequests: { ...inputRequests },
    ...(STATEFUL.has(tool) ? { requestState: await stateCodec.mint({ round: next }) } : {}),
  });
}

function isAnswer(answer: ReturnType<typeof inputResponse>): boolean {
  return answer.kind === "elicit" ? answer.action === "accept" && answer.content !== undefined : answer.kind !== "missing";
}
