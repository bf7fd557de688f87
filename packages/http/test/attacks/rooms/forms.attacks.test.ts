// Submissions, attacked.
import { assault } from "../AttackSuite.ts"
import { submissions } from "../FormProbes.ts"

assault(submissions)
