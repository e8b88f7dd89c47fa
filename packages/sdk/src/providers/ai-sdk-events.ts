import type { Usage } from "../event/event.ts";
import type { CallStart } from "./open-call.ts";
import { captured, count, list, text, usageOf, type Values, values } from "./provider-values.ts";
import type { ObservationOutcome } from "../capture/recorder.ts";

/**
 * What a message of the channel opens; undefined for steps, which only hold their model calls and tools together. Fields are picked one
 * by one: events also carry headers and options, which are nobody's business.
 */
export function startOf(type: unknown, event: Values): CallStart | undefined {
  const model = text(event["modelId"]);
  switch (type) {
    case "step":
      return undefined;
    case "languageModelCall":
      return { name: text(event["provider"]) ?? "model", kind: "llm", model, input: captured(event["messages"]) };
    case "executeTool": {
      const call = values(event["toolCall"]);
      const attributes = { tool_call_id: text(call["toolCallId"]) };
      return { name: text(call["toolName"]) ?? "tool", kind: "tool", input: call["input"], attributes };
    }
    case "embed":
    case "embedMany":
      return { name: type, kind: "llm", model, input: captured(event["value"] ?? event["values"]) };
    default:
      return {
        name: text(event["functionId"]) ?? String(type),
        kind: "span",
        input: captured(event["messages"] ?? event["prompt"]),
        attributes: { operation: text(event["operationId"]), model },
      };
  }
}

export function endOf(type: unknown, event: Values, result: Values): ObservationOutcome {
  switch (type) {
    case "languageModelCall":
      return modelCallEnd(result);
    case "executeTool":
      return toolEnd(values(event["toolCall"]), values(result["output"]));
    case "embed":
    case "embedMany": {
      const { usage } = result;
      return { status: "success", usage: usageOf({ input_tokens: count(values(usage)["tokens"]) }, usage) };
    }
    default: {
      const last = values(list(result["steps"]).at(-1));
      return { status: "success", output: captured(contentWithoutReasoning(last["content"])) };
    }
  }
}

/** Of a whole answer, or of a stream that is through. */
export function modelCallEnd(result: Values): ObservationOutcome {
  const content = list(result["content"]).map(values);
  const reasoning = content.flatMap((part) => (part["type"] === "reasoning" ? (text(part["text"]) ?? []) : [])).join("\n");
  const tools = content.filter((part) => part["type"] === "tool-call").map((part) => text(part["toolName"]) ?? "");
  const reason = result["finishReason"];
  return {
    status: "success",
    model: text(values(result["response"])["modelId"]),
    usage: readUsage(values(result["usage"])),
    output: captured(contentWithoutReasoning(content)),
    reasoning: captured(reasoning) === undefined ? undefined : text(reasoning),
    attributes: {
      finish_reason: text(reason) ?? text(values(reason)["unified"]) ?? null,
      ...(tools.length > 0 ? { tool_calls: tools } : {}),
    },
  };
}

function contentWithoutReasoning(content: unknown): unknown {
  return content === undefined ? undefined : list(content).filter((part) => values(part)["type"] !== "reasoning");
}

function toolEnd(call: Values, output: Values): ObservationOutcome {
  const failed = output["type"] === "tool-error";
  const result = failed ? null : output["output"];
  const tool = {
    tool_name: text(call["toolName"]) ?? "tool",
    parameters: values(call["input"]),
    result: result ?? null,
    timestamp: new Date().toISOString(),
    status: failed ? ("failure" as const) : ("success" as const),
  };
  return failed ? { status: "failure", error: output["error"], tool } : { status: "success", output: result, tool };
}

/** The model's own shape nests its counts, the operation's is flat; in both the input contains the cached tokens. */
function readUsage(usage: Values): Usage | undefined {
  const [input, output] = [values(usage["inputTokens"]), values(usage["outputTokens"])];
  const [inputDetails, outputDetails] = [values(usage["inputTokenDetails"]), values(usage["outputTokenDetails"])];
  return usageOf(
    {
      input_tokens: count(input["total"]) ?? count(usage["inputTokens"]),
      output_tokens: count(output["total"]) ?? count(usage["outputTokens"]),
      cache_read_tokens: count(input["cacheRead"]) ?? count(inputDetails["cacheReadTokens"]),
      cache_write_tokens: count(input["cacheWrite"]) ?? count(inputDetails["cacheWriteTokens"]),
      reasoning_tokens: count(output["reasoning"]) ?? count(outputDetails["reasoningTokens"]),
    },
    usage["raw"] ?? usage,
  );
}
