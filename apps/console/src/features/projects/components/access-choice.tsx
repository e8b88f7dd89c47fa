import "@mantine/core/styles/Radio.layer.css";
import { Radio, Stack } from "@mantine/core";
import { type ProjectAccess, projectAccessSchema } from "@sightline/observability/contract";
import { ACCESS } from "#features/projects/project-roles.ts";

type AccessChoiceProps = {
  readonly access: ProjectAccess;
  /** For who may not change it. */
  readonly fixed?: boolean;
  readonly onChange: (access: ProjectAccess) => void;
};

export function AccessChoice({ access, fixed = false, onChange }: AccessChoiceProps) {
  return (
    <Radio.Group
      label="Who can see it"
      readOnly={fixed}
      value={access}
      onChange={(next) => onChange(projectAccessSchema.catch("members").parse(next))}
    >
      <Stack gap="sm" mt="xs">
        {projectAccessSchema.options.toReversed().map((each) => (
          <Radio
            key={each}
            value={each}
            label={ACCESS[each].label}
            description={ACCESS[each].description}
            disabled={fixed && access !== each}
          />
        ))}
      </Stack>
    </Radio.Group>
  );
}
