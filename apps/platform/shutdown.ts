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

/** The first signal ends everything in order and the process with 0, the second at once with 130. */
export function installShutdown({ say, stop, kill }: ShutdownOptions): Shutdown {
  let running: Promise<void> | undefined;
  const now = () => (running ??= stop());

  const onSignal = (signal: NodeJS.Signals) => {
    if (running !== undefined) {
      void kill().finally(() => process.exit(130));
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
