import type { ServerContext } from "@modelcontextprotocol/server";

const EVERY_MS = 1_000;

/** Tells a client that asked for it every second that its call goes on, so that it need not give up. Stop it with what it returns. */
export function tellProgress({ mcpReq }: ServerContext, mostMs: number): () => void {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) {
    return () => undefined;
  }
  const total = mostMs / 1_000;
  let progress = 0;
  const timer = setInterval(() => {
    progress += EVERY_MS / 1_000;
    const params = { progressToken, progress, total, message: `Looking for ${progress} s; it may take ${total}.` };
    // A client that has gone needs no word of it.
    mcpReq.notify({ method: "notifications/progress", params }).catch(() => undefined);
  }, EVERY_MS);
  return () => clearInterval(timer);
}
