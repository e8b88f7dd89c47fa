import { z } from "zod";

/** The messages that a child process and its supervisor exchange over IPC. */
const messageSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("ready") }),
  z.object({ type: z.literal("stop") }),
  z.object({
    type: z.literal("prepared"),
    firstAdmin: z.object({ email: z.string(), oneTimePassword: z.string().optional() }).optional(),
    problem: z.string().optional(),
  }),
]);
export type ChildMessage = z.infer<typeof messageSchema>;

export function parseChildMessage(message: unknown): ChildMessage | undefined {
  return messageSchema.safeParse(message).data;
}

export type Prepared = Omit<Extract<ChildMessage, { type: "prepared" }>, "type">;

/** Tells the supervisor what came of preparing the databases; resolves once it was told. */
export function reportPrepared(prepared: Prepared): Promise<void> {
  return new Promise((resolve) => {
    process.send?.({ type: "prepared", ...prepared } satisfies ChildMessage, () => resolve());
  });
}

/** Tells the supervisor that this child is ready. */
export function reportReady(): void {
  process.send?.({ type: "ready" } satisfies ChildMessage);
}

type StopOptions = {
  /** Whether other children need this one until they have ended, so that it waits for the supervisor's message. */
  readonly outlivesOthers?: boolean;
};

/** What a child has to end once its supervisor is gone: more than a role's services have to stop, and less than the 10 s that are promised. */
const ORPHAN_MS = 8_500;

/**
 * Calls `stop` once, when the supervisor asks for it, when the supervisor is gone (however it went), or on SIGTERM;
 * then ends the process. Ctrl-C reaches every process of a terminal at once, so under a supervisor it is left to the
 * supervisor. Without one nobody else would end a child whose `stop` hangs, so it ends itself.
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
      endProcess(0);
    } catch {
      endProcess(1);
    }
  };
  const endAsOrphan = () => {
    setTimeout(() => endProcess(1), ORPHAN_MS);
    void end();
  };
  process.on("message", (message) => {
    if (parseChildMessage(message)?.type === "stop") {
      void end();
    }
  });
  process.on("disconnect", endAsOrphan);
  process.on("SIGTERM", () => {
    if (!outlivesOthers || !process.connected) {
      void end();
    }
  });
  process.on("SIGHUP", () => undefined);
  process.on("SIGINT", () => undefined);
  if (isOrphan()) {
    // The supervisor went before anybody listened, and "disconnect" is told once.
    endAsOrphan();
  }
}

/** Whether there was a supervisor; a process that was started by hand never had one. */
function isOrphan(): boolean {
  return process.send !== undefined && !process.connected;
}

/**
 * `process.exit` runs exit handlers and waits for threads of Node's own, either of which may hang. Under a supervisor that is
 * the supervisor's to notice; an orphan has nothing left to tell anybody, and ends in the one way that can't hang.
 */
function endProcess(code: number): void {
  if (isOrphan()) {
    process.kill(process.pid, "SIGKILL");
  }
  process.exit(code);
}
