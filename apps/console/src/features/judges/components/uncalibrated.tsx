import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { judgesQuery } from "#features/judges/api/judges.ts";

type UncalibratedProps = {
  readonly projectId: string;
  readonly score: { readonly name: string | undefined; readonly source: string | undefined };
};

/** Marks the score of a judge whose newest version is not known to agree with people. */
export function Uncalibrated({ projectId, score: { name, source } }: UncalibratedProps) {
  const judges = useQuery({ ...judgesQuery(projectId), enabled: source === "judge" }).data;
  const isMarked = source === "judge" && judges?.some((judge) => judge.name === name && judge.is_calibrated === true) === false;
  return isMarked && <Text inherit span c="dimmed">{` (not calibrated)`}</Text>;
}
