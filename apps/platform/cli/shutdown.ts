type ShutdownOptions = {
  readonly say: (text: string) => void;
  /** Ends everything in order. */
  readonly stop: () => Promise<void>;
  /** Ends everything at once. */
  readonly kill: () => Promise<void>;
};

export type Shutdown = {
  /** True once somebody asked for the end. */
  readonly requested: () => boolean;
  /** Ends everything in order, as Ctrl-C does. */
  readonly now: () => Promise<void>;
};

/** Ctrl-C reaches a program that npm started twice: from the terminal, and passed on by npm. */
const SAME_SIGNAL_MS = 500;

/** The first signal ends everything in order and the process with 0, the second at once with 130. */
export function installShutdown({ say, stop, kill }: ShutdownOptions): Shutdown {
  let running: Promise<void> | undefined;
  let signalledAt = 0;
  const now = () => (running ??= stop());

  const onSignal = (signal: NodeJS.Signals) => {
    const repeated = performance.now() - signalledAt < SAME_SIGNAL_MS;
    signalledAt = performance.now();
    if (running !== undefined) {
      if (!repeated) {
        void kill().finally(() => process.exit(130));
      }
      return;
    }
    say(signal === "SIGINT" ? "\nStopping (again Ctrl-C kills at once) …" : "Stopping …");
    now().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  process.on("SIGHUP", onSignal);
  return { requested: () => running !== undefined, now };
}
