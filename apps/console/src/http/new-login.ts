/** Holds calls back whose session ended, until somebody has logged in again over the open page: nothing that was typed there is lost. */
export type NewLogin = {
  /** Resolves with whether somebody did; with false at once while nobody could be asked. */
  readonly wait: () => Promise<boolean>;
  /** What calls wait for that begin while others do; undefined when none wait. */
  readonly pending: () => Promise<boolean> | undefined;
  /** Whether a login is waited for. */
  readonly isWanted: () => boolean;
  /** Whoever watches asks for the login. */
  readonly subscribe: (tell: () => void) => () => void;
  /** Lets go on what waits: with the new session, or to fail. */
  readonly settle: (hasSession: boolean) => void;
};

export function createNewLogin(): NewLogin {
  const watchers = new Set<() => void>();
  let wanted: PromiseWithResolvers<boolean> | undefined;

  function tellAll(): void {
    watchers.forEach((tell) => tell());
  }

  function settle(hasSession: boolean): void {
    wanted?.resolve(hasSession);
    wanted = undefined;
    tellAll();
  }

  return {
    wait() {
      if (watchers.size === 0) {
        return Promise.resolve(false);
      }
      if (wanted === undefined) {
        wanted = Promise.withResolvers();
        tellAll();
      }
      return wanted.promise;
    },
    pending: () => wanted?.promise,
    isWanted: () => wanted !== undefined,
    subscribe(tell) {
      watchers.add(tell);
      return () => {
        watchers.delete(tell);
        if (watchers.size === 0 && wanted !== undefined) {
          settle(false);
        }
      };
    },
    settle,
  };
}
