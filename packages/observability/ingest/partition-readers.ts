/** Reads a partition until the signal is aborted, and finishes the batch at hand then. Never throws. */
type ReadOn<Partition> = (partition: Partition, signal: AbortSignal) => Promise<void>;

/** Starts and stops the readers of the partitions that this consumer has; `lanes` read each. */
export function createPartitionReaders<Partition>(readOn: ReadOn<Partition>, lanes: number) {
  const reading = new Map<Partition, AbortController>();
  const running = new Set<Promise<void>>();

  function start(partition: Partition): void {
    const stopping = new AbortController();
    reading.set(partition, stopping);
    for (let lane = 0; lane < lanes; lane += 1) {
      const run = readOn(partition, stopping.signal);
      running.add(run);
      void run.finally(() => running.delete(run));
    }
  }

  return {
    /** Readers of a partition that is not among them any more end after their batch; others may read it meanwhile. */
    set: (partitions: readonly Partition[]): void => {
      for (const [partition, stopping] of reading) {
        if (!partitions.includes(partition)) {
          stopping.abort();
          reading.delete(partition);
        }
      }
      for (const partition of partitions) {
        if (!reading.has(partition)) {
          start(partition);
        }
      }
    },
    partitions: (): readonly Partition[] => [...reading.keys()],
    /** Stops all and waits for their end. */
    stop: async (): Promise<void> => {
      reading.forEach((stopping) => stopping.abort());
      await Promise.all(running);
    },
  };
}
