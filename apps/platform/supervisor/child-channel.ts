import { z } from "zod";

/** The messages that a child process and its supervisor exchange over IPC. */
const messageSchema = z.discriminatedUnion("type", [z.object({ type: z.literal("ready") }), z.object({ type: z.literal("stop") })]);
export type ChildMessage = z.infer<typeof messageSchema>;

export function parseChildMessage(message: unknown): ChildMessage | undefined {
  return messageSchema.safeParse(message).data;
}

/** Tells the supervisor that this child is ready. */
export function reportReady(): void {
  process.send?.({ type: "ready" } satisfies ChildMessage);
}

type StopOptions = {
  /** Whether other children need this one until they have ended, so that it waits for the supervisor's message. */
  readonly outlivesOthers?: boolean;
};

/**
 * Calls `stop` once, when the supervisor asks for it, when the supervisor is gone (however it went), or on SIGTERM;
 * then ends the process. Ctrl-C reaches every process of a terminal at once, so under a supervisor it is left to the
 * supervisor.
 */
export function stopWithSupervisor(stop: () => Promise<void>, { outlivesOthers = false }: StopOptions = {}): void {
  let stopping = false;
  const end = async () => {
    if (stopping) {
      return;
    }
    stopping = true;
    try {
      await stop();
      process.exit(0);
    } catch {
      process.exit(1);
    }
  };
  process.on("message", (message) => {
    if (parseChildMessage(message)?.type === "stop") {
      void end();
    }
  });
  process.on("disconnect", () => void end());
  process.on("SIGTERM", () => {
    if (!outlivesOthers || !process.connected) {
      void end();
    }
  });
  process.on("SIGHUP", () => undefined);
  process.on("SIGINT", () => undefined);
}
