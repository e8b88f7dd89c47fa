import type { Observation } from "#contract.ts";
import { nameAltered } from "#checks/name-incomplete.ts";
import { isProviderCall } from "./provider-answers.ts";

/** Why a recorded call can't be answered. One that `runs` again is only to be recognised. */
export function refuseCall(step: Observation, runs: boolean): readonly string[] {
  const { attributes, kind } = step;
  const isFramework = "run_id" in attributes;
  if (attributes["source"] === "_tools_executed") {
    return ["it was recorded from the agent's state, not where it was called"];
  }
  if (kind === "retriever" && isFramework) {
    return ["retrievers of LangChain are not answered"];
  }
  if (!isFramework && ("finish_reason" in attributes || "tool_call_id" in attributes)) {
    return ["calls of the AI SDK are not answered"];
  }
  if (kind === "llm" && !isFramework && /^(?:openai|anthropic)\./.test(step.name) && !isProviderCall(step.name)) {
    return [`calls of ${step.name} are not answered`];
  }
  const altered = (runs ? (["input"] as const) : (["input", "output", "error"] as const)).flatMap((field) =>
    attributes[`masked_${field}`] === true ? [field] : nameAltered(field, step[field]),
  );
  if (altered.length > 0) {
    return [`${altered.join(", ")} was cut, masked or not kept when it was recorded`];
  }
  return runs ? [] : refuseAnswer(step, isFramework);
}

function refuseAnswer({ attributes, kind, status, output, error }: Observation, isFramework: boolean): readonly string[] {
  const hasOutput = output !== null;
  if (status === "failure") {
    // A tool of LangChain may tell of its failure in a message, which has no error.
    const isTold = error === null && hasOutput && kind === "tool" && isFramework;
    return isTold ? [] : error === null ? ["its error was not recorded"] : hasOutput ? ["it failed in the midst of a stream"] : [];
  }
  if (status !== "success") {
    return [`it has no recorded answer (${status})`];
  }
  if (typeof attributes["returned"] === "string" && attributes["returned"] !== "undefined") {
    return [`output had a value of the class ${attributes["returned"]}, of which JSON keeps only the content`];
  }
  if (kind === "llm" && !hasOutput) {
    return ["its output was not recorded; wrap_llm_adapter() (wrapLlmAdapter()) records prompts and answers"];
  }
  if (kind === "llm" && isFramework && !(Array.isArray(output) && output.every((each) => typeof each === "object"))) {
    return ["only chat models of LangChain are answered"];
  }
  return [];
}
