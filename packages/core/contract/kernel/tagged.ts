// Tags of the test runner for tests that are Effects. Without this helper, tags come after the body of the test.
import type { TestContext, Vitest } from "@effect/vitest"

/** `tagged(it.effect, "attack/race")("a title", () => …)`. Contract tests have no tags: other projects run them, too. */
export const tagged =
  <R>(test: Vitest.Test<R>, ...tags: ReadonlyArray<string>) =>
  <A, E>(title: string, run: Vitest.TestFunction<A, E, R, [TestContext]>): void =>
    test(title, run, { tags: [...tags] })
