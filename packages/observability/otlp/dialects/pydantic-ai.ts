import { withPrefix, type Dialect } from "./dialect.ts";

export const pydanticAi: Dialect = {
  name: "Pydantic AI",
  canRead: withPrefix("pydantic_ai", "final_result"),
  // Another span may mean anything by `final_result`.
  facts: { input: ["pydantic_ai.all_messages"], agentOutput: ["final_result"] },
};
