// Attacks on flows; those on memberships are in `flowMembers.attacks.test.ts`.
import { assault } from "../AttackSuite.ts"
import { flows } from "../FlowProbes.ts"

assault(flows)
