import type { Dialect } from "./dialect.ts";

/** Microsoft's Agent Framework keeps the name of a workflow apart. */
export const agentFramework: Dialect = {
  name: "Agent Framework",
  canRead: ({ name }) => name === "workflow.run",
  facts: { name: ({ attributes }) => attributes.get("workflow.name") },
};
