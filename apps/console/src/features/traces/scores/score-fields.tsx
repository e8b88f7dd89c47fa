import { Autocomplete, NumberInput, SegmentedControl, Select, TextInput } from "@mantine/core";
import { type ScoreConfig, type ScoreDataType, scoreNamesSchema } from "@sightline/observability/contract";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { encoded, observability } from "#http/calls.ts";
import { answerTo, onlyItems } from "#http/queries.ts";
import { typedInto } from "#ui/kit/typed-into.ts";
import { scoreConfigsQuery } from "./score-configs.ts";
import { TYPE_OPTIONS } from "./score-types.ts";

export type TypedScore = { readonly name: string; readonly type: ScoreDataType; readonly value: string; readonly comment: string };
export const NO_SCORE: TypedScore = { name: "", type: "number", value: "", comment: "" };

export function isGiven({ name, type, value }: TypedScore): boolean {
  return name.trim() !== "" && value.trim() !== "" && (type !== "number" || Number.isFinite(Number(value)));
}

/** Makes the request's fields of a score that was typed. */
export function toGivenScore({ name, type, value, comment }: TypedScore) {
  const given =
    type === "number"
      ? { value: Number(value) }
      : type === "boolean"
        ? { value: value === "true" }
        : { text_value: value.trim(), data_type: type };
  return { name: name.trim(), ...given, ...(comment.trim() === "" ? {} : { comment: comment.trim() }) };
}

type ScoreFieldsProps = { readonly projectId: string; readonly score: TypedScore; readonly onChange: (score: TypedScore) => void };

/** Name, value and comment of a score; what kind of value it has is the project's to say, and the reader's where it says nothing. */
export function ScoreFields({ projectId, score, onChange }: ScoreFieldsProps) {
  const { data: configs = [] } = useQuery(scoreConfigsQuery(projectId));
  const { data: names = [] } = useQuery(scoreNamesQuery(projectId));
  const config = configs.find(({ name }) => name === score.name.trim());
  const named = (name: string) => {
    const type = configs.find((each) => each.name === name.trim())?.data_type ?? score.type;
    onChange({ ...score, name, type, value: type === score.type ? score.value : "" });
  };
  return (
    <>
      <Autocomplete
        label="Name"
        placeholder="helpful"
        data={[...new Set([...configs.map(({ name }) => name), ...names])]}
        value={score.name}
        onChange={named}
        maxLength={200}
        data-autofocus
      />
      {config === undefined && (
        <Select
          label="Kind of value"
          data={TYPE_OPTIONS}
          value={score.type}
          allowDeselect={false}
          onChange={(type) => type !== null && onChange({ ...score, type, value: "" })}
        />
      )}
      <ValueField score={score} config={config} onValue={(value) => onChange({ ...score, value })} />
      <TextInput label="Comment" maxLength={4_000} {...typedInto(score.comment, (comment) => onChange({ ...score, comment }))} />
    </>
  );
}

type ValueFieldProps = {
  readonly score: TypedScore;
  readonly config: ScoreConfig | undefined;
  readonly onValue: (value: string) => void;
};

export function ValueField({ score: { type, value }, config, onValue }: ValueFieldProps) {
  if (type === "boolean") {
    const data = [
      { value: "true", label: "Yes" },
      { value: "false", label: "No" },
    ];
    return <SegmentedControl aria-label="Value" data={data} value={value} onChange={onValue} />;
  }
  if (type === "category" && config !== undefined && config.categories.length > 0) {
    return (
      <Select label="Value" data={config.categories} value={value === "" ? null : value} onChange={(chosen) => onValue(chosen ?? "")} />
    );
  }
  if (type !== "number") {
    return <TextInput label="Value" maxLength={type === "category" ? 200 : 4_000} {...typedInto(value, onValue)} />;
  }
  const { minimum = null, maximum = null } = config ?? {};
  const range = minimum === null && maximum === null ? undefined : `From ${minimum ?? "any number"} to ${maximum ?? "any number"}`;
  return (
    <NumberInput
      label="Value"
      description={range}
      {...(minimum === null ? {} : { min: minimum })}
      {...(maximum === null ? {} : { max: maximum })}
      value={value}
      onChange={(number) => onValue(String(number))}
    />
  );
}

/** The key of the names that were given before, which another score may add to. */
export const scoreNamesKey = (projectId: string) => ["score names", projectId];

function scoreNamesQuery(projectId: string) {
  return queryOptions({
    queryKey: scoreNamesKey(projectId),
    queryFn: answerTo(observability.get(encoded`/api/v1/projects/${projectId}/scores/names`, { answer: onlyItems(scoreNamesSchema) })),
    staleTime: 60_000,
  });
}
