// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { expect, onTestFinished, test, vi } from "vitest";
import { useTyped } from "./use-typed.ts";

function Field({ onSettle }: { readonly onSettle: (text: string) => void }) {
  const { text, type, settle } = useTyped("", 250, onSettle, undefined, (typed) => typed === "stat");
  return <input aria-label="query" value={text} onChange={({ currentTarget }) => type(currentTarget.value)} onBlur={settle} />;
}

test("what is typed is reported after a pause; what is unfinished waits until it is left", () => {
  vi.useFakeTimers();
  onTestFinished(() => {
    cleanup();
    vi.useRealTimers();
  });
  const onSettle = vi.fn<(text: string) => void>();
  render(<Field onSettle={onSettle} />);
  const field = screen.getByLabelText("query");
  const typed = (value: string) => {
    fireEvent.change(field, { target: { value } });
    vi.advanceTimersByTime(10_000);
    return onSettle.mock.lastCall?.[0];
  };
  expect([typed("a"), typed("stat")]).toEqual(["a", "a"]);
  fireEvent.blur(field);
  expect(onSettle).toHaveBeenLastCalledWith("stat");
});
