import { useLocalStorage } from "@mantine/hooks";
import type { DeveloperToken } from "@sightline/code-index/contract";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { secondFactorQuery } from "#features/auth/api/second-factor.ts";
import { projectsQuery } from "#features/projects/api/projects.ts";
import { repositoriesQuery } from "#features/repositories/api/repositories.ts";
import { tokensQuery } from "#features/tokens/api/tokens.ts";
import { type Step, expectedSteps, isOpen, stepsOf } from "./steps.ts";

/** Somebody may sit before the first call that is yet to come. */
const FIRST_CALL_MS = 2_500;
const REFRESH_MS = 15_000;

export type ShownSteps = {
  /** None once there is nothing left to do, and until that is known. */
  readonly steps: readonly Step[];
  /** Those to come: it is not known yet, and when this browser last knew there were some. */
  readonly expected: readonly Step[];
  readonly isAway: boolean;
  readonly setAway: (isAway: boolean) => void;
};

/** The first steps, and whether this browser has put them away. */
export function useFirstSteps(isAdmin: boolean): ShownSteps {
  const [stored, store] = useLocalStorage({ key: "sightline-first-steps", defaultValue: "shown", getInitialValueInEffect: false });
  const repositories = useQuery(repositoriesQuery);
  const projects = useQuery(projectsQuery);
  const secondFactor = useQuery({ ...secondFactorQuery, enabled: isAdmin });
  const tokens = useQuery({
    ...tokensQuery,
    enabled: isAdmin,
    refetchInterval: ({ state }) => (isWaiting(state.data ?? []) ? FIRST_CALL_MS : REFRESH_MS),
  });
  const answers = { isAdmin, secondFactor, repositories, tokens, projects };
  const steps = stepsOf(answers);
  const isDone = steps?.some(isOpen) === false;
  useEffect(() => {
    if (isDone && stored === "shown") {
      store("done");
    }
  }, [isDone, stored, store]);
  return {
    steps: steps === undefined || isDone ? [] : steps,
    expected: steps === undefined && stored === "shown" ? expectedSteps(answers) : [],
    isAway: stored === "away",
    setAway: (isAway) => store(isAway ? "away" : "shown"),
  };
}

function isWaiting(tokens: readonly DeveloperToken[]): boolean {
  return tokens.length > 0 && tokens.every(({ last_used_at: at }) => at === null);
}
