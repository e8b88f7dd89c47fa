/** Of less it is no secret, and would be found where it is not meant. */
const MIN_KEY = 8;

/** Servers that tell what they were asked, as in an error, tell the key, too. @returns their answer without it, as it comes. */
export function hideKey(answer: Response, key: string): Response {
  if (key.length < MIN_KEY || answer.body === null) {
    return answer;
  }
  let held = "";
  const withoutKey = new TransformStream<string, string>({
    transform(part, controller) {
      const text = (held + part).replaceAll(key, "[key]");
      const end = text.length - countBegun(text, key);
      held = text.slice(end);
      controller.enqueue(text.slice(0, end));
    },
    flush(controller) {
      controller.enqueue(held);
    },
  });
  return new Response(
    answer.body.pipeThrough(new TextDecoderStream()).pipeThrough(withoutKey).pipeThrough(new TextEncoderStream()),
    answer,
  );
}

/** How many characters at the end may be the beginning of a key that the next part ends. */
function countBegun(text: string, key: string): number {
  let count = Math.min(text.length, key.length - 1);
  while (!text.endsWith(key.slice(0, count))) {
    count -= 1;
  }
  return count;
}
