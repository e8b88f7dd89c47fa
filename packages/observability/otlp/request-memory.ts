/** The most bytes of a request as it is sent. */
export const MAX_SENT_BYTES = 16 * 1024 * 1024;

/** The most bytes of requests that are in memory at once. */
const MAX_ADMITTED_BYTES = 128 * 1024 * 1024;

/**
 * Admits requests while their memory fits into the limit, and those of one project into half of it, so that one that
 * sends slowly keeps no other out. A single request always fits. Returns how to release the memory, or `undefined` when
 * there is none.
 */
export function createAdmission(max = MAX_ADMITTED_BYTES): (projectId: string, bytes: number) => (() => void) | undefined {
  const takenBy = new Map<string, number>();
  let taken = 0;
  return (projectId, bytes) => {
    const own = takenBy.get(projectId) ?? 0;
    if ((taken > 0 && taken + bytes > max) || (own > 0 && own + bytes > max / 2)) {
      return undefined;
    }
    take(projectId, bytes);
    let isOpen = true;
    return () => {
      if (isOpen) {
        take(projectId, -bytes);
      }
      isOpen = false;
    };
  };

  function take(projectId: string, bytes: number): void {
    const own = (takenBy.get(projectId) ?? 0) + bytes;
    taken += bytes;
    if (own === 0) {
      takenBy.delete(projectId);
    } else {
      takenBy.set(projectId, own);
    }
  }
}
