import { withPrefix, type Dialect } from "./dialect.ts";

const METADATA = "langfuse.trace.metadata.";

export const langfuse: Dialect = {
  name: "Langfuse",
  canRead: withPrefix("langfuse"),
  facts: {
    sessionId: ["langfuse.session.id"],
    userId: ["langfuse.user.id"],
    environment: ["langfuse.environment"],
    release: ["langfuse.release"],
    version: ["langfuse.version"],
    tags: ["langfuse.trace.tags"],
    metadata: ({ group }) =>
      Object.fromEntries(Object.entries(group(METADATA)).map(([name, value]) => [name.slice(METADATA.length), value])),
    firstTokenTime: ["langfuse.observation.completion_start_time"],
  },
};
