/** Bytes of requests that are in memory at once. */
const ADMITTED_MAX = 128 * 1024 * 1024;

/**
 * Lets requests in while what they may take together fits; a single one always fits.
 * Returns how to give the room back, or `undefined` when there is none.
 */
export function createAdmission(most = ADMITTED_MAX): (bytes: number) => (() => void) | undefined {
  let taken = 0;
  return (bytes) => {
    if (taken > 0 && taken + bytes > most) {
      return undefined;
    }
    taken += bytes;
    let isOpen = true;
    return () => {
      taken -= isOpen ? bytes : 0;
      isOpen = false;
    };
  };
}
