type Typing = { readonly currentTarget: { readonly value: string } };

/** The props of a field of text: what it shows, and who is told what was typed. */
export function typedInto(value: string, onText: (text: string) => void) {
  return { value, onChange: ({ currentTarget }: Typing) => onText(currentTarget.value) };
}
