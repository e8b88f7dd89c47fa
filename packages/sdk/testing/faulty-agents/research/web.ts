import { tool } from "@langchain/core/tools";
import { z } from "zod";

export const web = tool(({ query }) => (Math.random() < 0.1 ? "nothing" : query), {
  name: "web",
  description: "Finds pages.",
  schema: z.object({ query: z.string() }),
});
