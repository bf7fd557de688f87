// Flows, attacked; their members are in `flowMembers.attacks.test.ts`.
import { assault } from "../AttackSuite.ts"
import { flows } from "../FlowProbes.ts"

assault(flows)
