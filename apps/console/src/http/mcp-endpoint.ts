import { queryOptions } from "@tanstack/react-query";
import { z } from "zod";
import { codeIndex } from "./calls.ts";
import { answerTo } from "./queries.ts";
import { reachableAddress } from "./reachable-address.ts";

const metadataSchema = z.object({ resource: z.url() }).transform(({ resource }) => reachableAddress(window.location, resource));

/** The MCP endpoint's own address, as its metadata (RFC 9728) has it and as it is reached from here. */
export const mcpEndpointQuery = queryOptions({
  queryKey: ["mcp endpoint"],
  queryFn: answerTo(codeIndex.get("/.well-known/oauth-protected-resource", { answer: metadataSchema })),
  staleTime: Infinity,
});
