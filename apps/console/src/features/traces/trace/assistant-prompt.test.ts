import { expect, it } from "vitest";
import { assistantPrompt } from "./assistant-prompt.ts";

const trace = { id: "trace-1", name: "refund", failures: 0, status: "success" } as const;

it("asks an assistant what happened, and what went wrong where something did", () => {
  const calm = assistantPrompt({ trace, projectId: "project-1", stepId: undefined });
  const failed = assistantPrompt({ trace: { ...trace, failures: 1 }, projectId: "project-1", stepId: "step-1" });
  expect(calm).toContain("what took the longest");
  expect(calm).toContain('the project project-1 and the trace trace-1 ("refund")');
  expect(calm).not.toContain("Look at");
  expect(failed).toContain("What went wrong");
  expect(failed).toContain("Look at the observation step-1 first.");
});
