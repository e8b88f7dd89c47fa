import { askedOfPerson, type Attributes } from "./attributes.ts";
import type { Of } from "./payload.tsx";
import { Section } from "./section.tsx";
import { ValueView } from "./value-view.tsx";

type HumanInputProps = { readonly of: Of; readonly attributes: Attributes | undefined };

/** What an interrupted step asked a person. */
export function HumanInput({ of, attributes = {} }: HumanInputProps) {
  const asked = askedOfPerson(attributes);
  return (
    asked.length > 0 && (
      <Section title="Human input requested">
        {asked.map((value, place) => (
          <ValueView key={place} title="Human input requested" value={value} of={of} isProse />
        ))}
      </Section>
    )
  );
}
