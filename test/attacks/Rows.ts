// What an attacker tries, in sixty rows, and the tests that hold each. `npm run test:attacks` runs them; a test asserts that each
// of them is still there.
import { callers } from "./Callers.ts"
import type { Row } from "./Held.ts"
import { loads } from "./Loads.ts"
import { surroundings } from "./Surroundings.ts"

export const rows: ReadonlyArray<Row> = [...callers, ...surroundings, ...loads]
