// Submissions, attacked.
import { assault } from "./Assault.ts"
import { submissions } from "./FormProbes.ts"

assault(submissions)
