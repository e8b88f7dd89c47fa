import type { Usage } from "../event/event.ts";
import type { CallStart } from "./open-call.ts";
import { asCount, asList, asObject, asText, usageOfCounts, type Values } from "../capture/loose-values.ts";
import { answeredOutcome, captured } from "./provider-values.ts";
import type { ObservationOutcome } from "../capture/recorder.ts";

/**
 * What a message of the channel opens; undefined for steps, which only hold their model calls and tools together. Fields are picked one
 * by one: events also carry headers and options, which are nobody's business.
 */
export function startOf(type: unknown, event: Values): CallStart | undefined {
  const model = asText(event["modelId"]);
  switch (type) {
    case "step":
      return undefined;
    case "languageModelCall":
      return {
        name: asText(event["provider"]) ?? "model",
        kind: "llm",
        model,
        messages: [event["instructions"], event["system"], event["messages"]],
        input: captured(event["messages"]),
      };
    case "executeTool": {
      const call = asObject(event["toolCall"]);
      const attributes = { tool_call_id: asText(call["toolCallId"]) };
      return { name: asText(call["toolName"]) ?? "tool", kind: "tool", input: call["input"], attributes };
    }
    case "embed":
    case "embedMany":
      return { name: type, kind: "llm", model, input: captured(event["value"] ?? event["values"]) };
    default:
      return {
        name: asText(event["functionId"]) ?? String(type),
        kind: "span",
        input: captured(event["messages"] ?? event["prompt"]),
        attributes: { operation: asText(event["operationId"]), model },
      };
  }
}

export function endOf(type: unknown, event: Values, result: Values): ObservationOutcome {
  switch (type) {
    case "languageModelCall":
      return modelCallEnd(result);
    case "executeTool":
      return toolEnd(asObject(event["toolCall"]), asObject(result["output"]));
    case "embed":
    case "embedMany": {
      const { usage } = result;
      return { status: "success", usage: usageOfCounts({ input_tokens: asCount(asObject(usage)["tokens"]) }, asObject(usage)) };
    }
    default: {
      const last = asObject(asList(result["steps"]).at(-1));
      return { status: "success", output: captured(contentWithoutReasoning(last["content"])) };
    }
  }
}

/** The outcome of a model call: its whole answer, or what a stream that is through made up. */
export function modelCallEnd(result: Values): ObservationOutcome {
  const content = asList(result["content"]).map(asObject);
  const reasoning = content.flatMap((part) => (part["type"] === "reasoning" ? (asText(part["text"]) ?? []) : []));
  const tools = content.filter((part) => part["type"] === "tool-call").map((part) => asText(part["toolName"]) ?? "");
  const reason = result["finishReason"];
  const answer = answeredOutcome({
    model: asObject(result["response"])["modelId"],
    usage: readUsage(asObject(result["usage"])),
    output: contentWithoutReasoning(content),
    reasoning,
    tools,
    attributes: { finish_reason: asText(reason) ?? asText(asObject(reason)["unified"]) ?? null },
  });
  return { ...answer, timeToFirstToken: asDuration(asObject(result["performance"])["timeToFirstOutputMs"]) };
}

function asDuration(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

function contentWithoutReasoning(content: unknown): unknown {
  return content === undefined ? undefined : asList(content).filter((part) => asObject(part)["type"] !== "reasoning");
}

function toolEnd(call: Values, output: Values): ObservationOutcome {
  const failed = output["type"] === "tool-error";
  const result = failed ? null : output["output"];
  const tool = {
    tool_name: asText(call["toolName"]) ?? "tool",
    parameters: asObject(call["input"]),
    result: result ?? null,
    timestamp: new Date().toISOString(),
    status: failed ? ("failure" as const) : ("success" as const),
  };
  return failed ? { status: "failure", error: output["error"], tool } : { status: "success", output: result, tool };
}

/** The model's own shape nests its counts, the operation's is flat; in both the input contains the cached tokens. */
function readUsage(usage: Values): Usage | undefined {
  const [input, output] = [asObject(usage["inputTokens"]), asObject(usage["outputTokens"])];
  const [inputDetails, outputDetails] = [asObject(usage["inputTokenDetails"]), asObject(usage["outputTokenDetails"])];
  return usageOfCounts(
    {
      input_tokens: asCount(input["total"]) ?? asCount(usage["inputTokens"]),
      output_tokens: asCount(output["total"]) ?? asCount(usage["outputTokens"]),
      cache_read_tokens: asCount(input["cacheRead"]) ?? asCount(inputDetails["cacheReadTokens"]),
      cache_write_tokens: asCount(input["cacheWrite"]) ?? asCount(inputDetails["cacheWriteTokens"]),
      reasoning_tokens: asCount(output["reasoning"]) ?? asCount(outputDetails["reasoningTokens"]),
    },
    asObject(usage["raw"] ?? usage),
  );
}
