import { tool } from "@langchain/core/tools";
import { z } from "zod";

export const rank = tool(({ found }) => (found === "nothing" ? "poor" : "good"), {
  name: "rank",
  description: "Says how good pages are.",
  schema: z.object({ found: z.string() }),
});
