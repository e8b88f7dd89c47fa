// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { expect, onTestFinished, test, vi } from "vitest";
import { useShownAtOnce } from "./use-shown-at-once.ts";

function Boxes({ value, onChange }: { readonly value: readonly string[]; readonly onChange: (next: readonly string[]) => void }) {
  const [shown, change] = useShownAtOnce(value, onChange);
  return ["a", "b"].map((name) => (
    <input key={name} type="checkbox" aria-label={name} checked={shown.includes(name)} onChange={() => change([...shown, name])} />
  ));
}

const ticked = () => screen.getAllByRole("checkbox", { checked: true }).map((box) => box.getAttribute("aria-label"));

test("a box is ticked at once, two clicks before the address follows both count, and then the address decides", () => {
  onTestFinished(cleanup);
  const onChange = vi.fn<(next: readonly string[]) => void>();
  const { rerender } = render(<Boxes value={[]} onChange={onChange} />);
  fireEvent.click(screen.getByLabelText("a"));
  expect(ticked()).toEqual(["a"]);
  fireEvent.click(screen.getByLabelText("b"));
  expect(onChange).toHaveBeenLastCalledWith(["a", "b"]);
  rerender(<Boxes value={["a", "b"]} onChange={onChange} />);
  rerender(<Boxes value={["b"]} onChange={onChange} />);
  expect(ticked()).toEqual(["b"]);
});
