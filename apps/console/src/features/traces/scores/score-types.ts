import { SCORE_DATA_TYPES, type ScoreDataType } from "@sightline/observability/contract";

export const SCORE_TYPES: Readonly<Record<ScoreDataType, string>> = {
  number: "Number",
  boolean: "Yes or no",
  category: "Category",
  text: "Text",
};

export const TYPE_OPTIONS = SCORE_DATA_TYPES.map((value) => ({ value, label: SCORE_TYPES[value] }));
