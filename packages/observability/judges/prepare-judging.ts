import { evaluateChecks } from "#checks/evaluate-checks.ts";
import { outputOf, type Check, type EvaluatorDefinition, type JudgeOutput, type Preferred } from "#contract.ts";
import { prepareCall, type Judging, type PreparedCall } from "./ask-judge.ts";
import { NotJudgeable, readSubject, type ReadSubject, type Subject } from "./read-judged.ts";
import { cutExplanation, type Verdict } from "./write-prompt.ts";

/** Reads what is to be judged; unless no model is needed for the verdict, the call is made ready. @throws {NotJudgeable} */
export async function prepareJudging(
  judging: Judging,
  subject: Subject,
  definition: EvaluatorDefinition,
): Promise<PreparedCall | { readonly verdict: Verdict }> {
  const read = await readSubject(judging.query, subject);
  if (read.better !== undefined) {
    return { verdict: { value: leastValue(outputOf(definition), read.better), explanation: FAILED } };
  }
  return definition.kind === "checks"
    ? { verdict: evaluate(definition.checks, read) }
    : prepareCall(judging, { ...read, projectId: subject.projectId }, definition);
}

const FAILED = "the run failed";

/** `better`: of two runs. */
function leastValue(output: JudgeOutput, better: Preferred): Verdict["value"] {
  if (output.type === "preference") {
    return better;
  }
  if (output.type === "category") {
    throw new NotJudgeable(`${FAILED}, and no category is the worst`);
  }
  return output.type === "number" ? output.minimum : false;
}

/** Whether all hold: one that does not decides, whatever can't be told of others. */
function evaluate(checks: readonly Check[], { trace, own: run }: ReadSubject): Verdict {
  const error = trace?.status === "failure" ? (trace.error ?? "it failed") : null;
  const results = evaluateChecks(checks, {
    trace: trace ?? null,
    ...(run === undefined ? { output: trace?.output, error, isRecorded: true } : { output: run.output, error: null }),
  });
  const say = (passed: boolean | null) =>
    results.flatMap((each) => (each.passed === passed ? `${each.name}: ${each.reason}` : [])).join("\n");
  const [failing, unknown] = [say(false), say(null)];
  if (failing === "" && unknown !== "") {
    throw new NotJudgeable(unknown);
  }
  return { value: failing === "", explanation: failing === "" ? "all hold" : cutExplanation(failing) };
}
