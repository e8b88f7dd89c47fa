/** What the function gives. Work that does not end in time is left to itself, as none can be stopped. @throws Error then */
export async function within<T>(seconds: number, work: () => T): Promise<Awaited<T>> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it took longer than ${seconds} s (timeout)`)), seconds * 1000);
    // Work that an evaluation which was cancelled leaves to itself does not keep the process.
    timer.unref();
  });
  try {
    return await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}
