// Attacks on form submissions.
import { assault } from "../AttackSuite.ts"
import { submissions } from "../FormProbes.ts"

assault(submissions)
