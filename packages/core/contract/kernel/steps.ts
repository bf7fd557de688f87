// Steps without pauses.
import type { Steps } from "../../src/kernel/runtime/Steps.ts"

export const atOnce = <A>(steps: Steps<A>): A => {
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}
