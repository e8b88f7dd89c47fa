import { formatCodePoint, cutAtTurns } from "./turning-characters.ts";
import classes from "./safe-text.module.css";

/**
 * A text that somebody else wrote, in the order in which it is written: a character that would turn the order of what follows is
 * shown by its code instead, and turns nothing. What is copied has the character itself.
 */
export function SafeText({ text }: { readonly text: string }) {
  const pieces = cutAtTurns(text);
  return pieces === undefined
    ? text
    : pieces.map((piece, index) =>
        piece.turns === undefined ? piece.text : <TurningCharacter key={index} of={piece.text} name={piece.turns} />,
      );
}

function TurningCharacter({ of: character, name }: { readonly of: string; readonly name: string }) {
  return (
    <span
      className={classes.turning}
      data-code={formatCodePoint(character)}
      title={`${formatCodePoint(character)}, ${name}: it would change the order in which this text is shown`}
    >
      {character}
    </span>
  );
}
